import type { JsonSlice } from "../../core/json/json-slices.ts";
import { asText, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
import { writeAnthropicThinking } from "../../core/transcript/anthropic-messages.ts";
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

/** The place of a block in an item, with the block as the wire has it. */
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
  /** The block as the wire has it. */
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

/** A summary or a marker as an item of `messages`; none where nothing of it can be said on this wire. */
export function writeStandIn(message: Message): readonly string[] {
  // A long summary may be clipped itself.
  const { role, content } = renderMessage(message);
  if (typeof content === "string") return [JSON.stringify({ role, content })];
  const blocks = content.flatMap((block) => writeBlock(block) ?? []);
  return blocks.length === 0 ? [] : [JSON.stringify({ role, content: blocks })];
}

/**
 * A block of ours as this wire has it, without a mark for caches: clients move theirs from request to request, and a stand-in
 * is older. Undefined for reasoning that nobody signed: it would be refused.
 */
function writeBlock(block: Block): JsonRecord | undefined {
  const { cache_control: _, ...fields }: JsonRecord = withoutRole(block);
  if (block.type === SETTINGS) return undefined;
  if (block.type === "reasoning") return writeAnthropicThinking({ ...fields, type: "reasoning" });
  if (block.type !== "tool_result" || !Array.isArray(fields.content)) return fields;
  return { ...fields, content: fields.content.flatMap((item: Block) => writeBlock(item) ?? []) };
}

/** A system message among the others may say nothing, and only set something. */
const SETTINGS = "system_settings";

/** A system message is read as a text of the turn before it, with its role. */
export function showDamage(message: Message): Message {
  const { content } = message;
  if (typeof content === "string" || !content.some(isSettings)) return message;
  return { ...message, content: content.map((block) => (isSettings(block) ? { ...block, type: SETTINGS } : block)) };
}

function isSettings(block: Block): boolean {
  return (
    block.type === "text" && fieldAt(block, "role") === "system" && !/\S/.test(asText(fieldAt(block, "text")) ?? "")
  );
}

function withoutRole(block: Block): JsonRecord {
  const { role: _, ...fields }: JsonRecord = { ...block };
  return block.type === "text" ? fields : { ...block };
}
