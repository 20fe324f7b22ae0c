import type { JsonSlice } from "../../core/json/json-slices.ts";
import { asText, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
import { writeAnthropicThinking } from "../../core/transcript/anthropic-messages.ts";
import {
  type BodySlices,
  type Edit,
  type EditContext,
  editOf,
  type Grouping,
  type ItemGroup,
  type PlacedBlock,
  type WireConversation,
} from "../splice/index.ts";
import { canonicalSpoken } from "./canonical.ts";
import { contentItems, readBlock } from "./read-message.ts";

/** The position of a block in its item, with the block as it was sent. */
export type Place =
  /** The item's content, a string. */
  | { readonly type: "content" }
  /** An entry of the item's content. */
  | { readonly type: "entry"; readonly index: number; readonly value: unknown };

/** The blocks of a message with their places: one for each block of its items, in order. */
export function placeBlocks(
  { message, items: indexes }: ItemGroup,
  { items }: WireConversation,
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

/** The edits of an item that show the stand-in in place of a block; an empty list if the API cannot hold the stand-in. */
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
  /** The entry's index in its list: an item's content, or a result's. */
  readonly index: number;
  /** The block as it was sent. */
  readonly value: unknown;
  readonly standIn: Block;
}

/** The field of a block that a fold replaces; cache marks and unknown fields beside it stay as they were sent. */
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

/** The entries that differ, if original and stand-in are both lists of the same length; else undefined: the whole content is replaced. */
function foldedEntries(content: unknown, standIn: Block): readonly FoldedEntry[] | undefined {
  const standIns = isToolResult(standIn) ? standIn.content : undefined;
  if (!Array.isArray(content) || standIns === undefined || typeof standIns === "string") return undefined;
  if (content.length !== standIns.length) return undefined;
  const values: readonly unknown[] = content;
  return standIns.flatMap((entry, index) =>
    isUnchanged(values[index], entry) ? [] : [{ index, value: values[index], standIn: entry }],
  );
}

function isUnchanged(value: unknown, standIn: Block): boolean {
  return canonicalSpoken(readBlock(value)) === canonicalSpoken(standIn);
}

function replaceBlock(value: unknown, written: JsonRecord): string {
  const mark = isRecord(value) && value.cache_control !== undefined ? { cache_control: value.cache_control } : {};
  return JSON.stringify({ ...written, ...mark });
}

/** The texts of stand-ins: the newest one is written in each request, and may be long. */
const writtenStandIns = new WeakMap<Message, readonly string[]>();

/** A summary or a marker as an item of `messages`; an empty list if the API can hold none of its blocks. */
export function writeStandIn(message: Message): readonly string[] {
  const written = writtenStandIns.get(message) ?? standInTexts(message);
  writtenStandIns.set(message, written);
  return written;
}

function standInTexts(message: Message): readonly string[] {
  // A long summary may have folds of its own, such as a clip.
  const { role, content } = renderMessage(message);
  if (typeof content === "string") return [JSON.stringify({ role, content })];
  const blocks = content.flatMap((block) => writeBlock(block) ?? []);
  return blocks.length === 0 ? [] : [JSON.stringify({ role, content: blocks })];
}

/**
 * A block of ours as the API takes it; undefined for settings and for unsigned reasoning, which the API refuses. Cache marks are left out:
 * clients move their marks from request to request, and a stand-in keeps the bytes of an earlier one.
 */
function writeBlock(block: Block): JsonRecord | undefined {
  const { cache_control: _, ...fields }: JsonRecord = withoutRole(block);
  if (block.type === SETTINGS) return undefined;
  if (block.type === "reasoning") return writeAnthropicThinking({ ...fields, type: "reasoning" });
  if (block.type !== "tool_result" || !Array.isArray(fields.content)) return fields;
  return { ...fields, content: fields.content.flatMap((item: Block) => writeBlock(item) ?? []) };
}

/** The block type that stands for an empty system message within the conversation, which may only set something. */
const SETTINGS = "system_settings";

/** Shows empty system messages, which we read as empty text blocks of the turn before them, as settings: they are no damage. */
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
