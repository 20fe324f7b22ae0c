import type { JsonSlice } from "../../core/json/json-slices.ts";
import { fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
import {
  type BodySlices,
  type Conversation,
  type Edit,
  type EditContext,
  editOf,
  type Grouping,
  type ItemGroup,
  type PlacedBlock,
} from "../splice/index.ts";
import { canonicalSpoken } from "./canonical.ts";
import { contentItems, readBlock } from "./read-message.ts";
import { writeBlock } from "./write-block.ts";

/** Where in an item a block stands, with the block as the wire has it. */
export type Place =
  /** The item's content, a string. */
  | { readonly type: "content" }
  /** An entry of the item's content. */
  | { readonly type: "entry"; readonly index: number; readonly value: unknown };

/** The blocks of a message: those of its items, one for one and in order. */
export function placeBlocks(
  { message, items: indexes }: ItemGroup,
  { items }: Conversation,
): readonly PlacedBlock<Place>[] {
  const { content } = message;
  const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const places = indexes.flatMap((item) =>
    contentItems(items[item]).map((value, index) => ({ item, place: placeOf(items[item], index, value) })),
  );
  return blocks.flatMap((block, index) => {
    const place = places[index];
    return place === undefined ? [] : [{ block, ...place }];
  });
}

function placeOf(item: unknown, index: number, value: unknown): Place {
  return typeof fieldAt(item, "content") === "string" ? { type: "content" } : { type: "entry", index, value };
}

export function editBlock(
  { place }: PlacedBlock<Place>,
  standIn: Block,
  { slices, item }: EditContext<Grouping>,
): readonly Edit[] {
  const content = slices.field(item, "content");
  if (place.type === "entry") return editEntry(slices, content, { ...place, standIn });
  const text = fieldAt(standIn, "text");
  return editOf(content, JSON.stringify(typeof text === "string" ? text : [writeBlock(standIn) ?? standIn]));
}

interface FoldedEntry {
  /** Its index in the list that it stands in. */
  readonly index: number;
  /** As the wire has it. */
  readonly value: unknown;
  readonly standIn: Block;
}

/** What of a block a fold replaces; the rest of it, marks and unknown fields, stays as this request has it. */
const FOLDED_FIELDS: Readonly<Record<string, string>> = { text: "text", tool_use: "input", tool_result: "content" };

function editEntry(
  slices: BodySlices,
  list: JsonSlice | undefined,
  { index, value, standIn }: FoldedEntry,
): readonly Edit[] {
  const slice = slices.entry(list, index);
  const written = writeBlock(standIn);
  if (slice === undefined || written === undefined) return [];
  const field = fieldAt(value, "type") === standIn.type ? FOLDED_FIELDS[standIn.type] : undefined;
  const fieldSlice = field === undefined ? undefined : slices.field(slice, field);
  if (field === undefined || fieldSlice === undefined) return editOf(slice, replaceBlock(value, written));
  const entries = foldedEntries(fieldAt(value, "content"), standIn);
  if (entries === undefined) return editOf(fieldSlice, JSON.stringify(written[field]));
  return entries.flatMap((entry) => editEntry(slices, fieldSlice, entry));
}

/** The changed entries of a result that is shown entry for entry; undefined where it is shown as something else. */
function foldedEntries(content: unknown, standIn: Block): readonly FoldedEntry[] | undefined {
  const shown = isToolResult(standIn) ? standIn.content : undefined;
  if (!Array.isArray(content) || shown === undefined || typeof shown === "string") return undefined;
  if (content.length !== shown.length) return undefined;
  const values: readonly unknown[] = content;
  return shown.flatMap((each, index) =>
    isUnchanged(values[index], each) ? [] : [{ index, value: values[index], standIn: each }],
  );
}

function isUnchanged(value: unknown, standIn: Block): boolean {
  return canonicalSpoken(readBlock(value)) === canonicalSpoken(standIn);
}

function replaceBlock(value: unknown, written: JsonRecord): string {
  const mark = isRecord(value) && value.cache_control !== undefined ? { cache_control: value.cache_control } : {};
  return JSON.stringify({ ...written, ...mark });
}
