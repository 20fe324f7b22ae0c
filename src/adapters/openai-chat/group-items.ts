import { asArray, asName, asRecord, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Content } from "../../core/message/message.ts";
import type { Conversation, Grouping, ItemGroup, ItemList, PlacedBlock } from "../splice/index.ts";
import { groupOnce, readEach } from "../splice/read-once.ts";
import { type ItemBlock, type ItemPlace, readAssistant, readContent, readResult } from "./read-item.ts";

/**
 * The conversation in messages: the results of a turn are one. What the system says in between belongs to the user's message before
 * it, or is one: summaries keep what users ask for. Undefined where calls and results have no ids that keep them together.
 */
export function groupItems({ items }: ItemList): Grouping | undefined {
  const reads = readItems(items);
  if (!areAllRead(reads)) return undefined;
  const firstSaid = reads.findIndex(({ isSystem }) => !isSystem);
  const headCount = firstSaid < 0 ? reads.length : firstSaid;
  const starts = findStarts(reads, headCount);
  const groups = starts.map((start, position) => groupAt(reads, start, starts[position + 1] ?? reads.length));
  return { headCount, groups };
}

/** What each item says; undefined for one with calls or results that have no ids. */
const readItems = readEach((item: unknown, index): ReadItem | undefined => {
  return isRecord(item) && !isUnpairable(item) ? readItem(item, index) : undefined;
});

function areAllRead(reads: readonly (ReadItem | undefined)[]): reads is readonly ReadItem[] {
  return !reads.includes(undefined);
}

/** The index of the first item of each message. */
function findStarts(reads: readonly ReadItem[], headCount: number): readonly number[] {
  const starts: number[] = [];
  let first: ReadItem | undefined;
  let replyAt = -1;
  // Counted where something stands between calls and results, which is seldom.
  let openCalls: Set<unknown> | undefined;
  for (let index = headCount; index < reads.length; index++) {
    const read = reads[index];
    if (read === undefined) continue;
    let joins = false;
    if (read.type === "assistant") {
      [replyAt, openCalls] = [index, undefined];
    } else if (read.type === "result") {
      openCalls?.delete(read.callId);
      joins = first?.type === "result";
    } else if (read.type === "aside") {
      openCalls ??= openCallsAt(reads, replyAt, index);
      joins = openCalls.size > 0 || (read.isSystem && first !== undefined && first.type !== "assistant");
    }
    if (joins) continue;
    starts.push(index);
    first = read;
  }
  return starts;
}

/** The calls of a reply that nothing before `end` answers. */
function openCallsAt(reads: readonly ReadItem[], replyAt: number, end: number): Set<unknown> {
  const calls = new Set(reads[replyAt]?.callIds);
  for (let index = replyAt + 1; index < end && calls.size > 0; index++) calls.delete(reads[index]?.callId);
  return calls;
}

function groupAt(reads: readonly ReadItem[], start: number, end: number): ItemGroup {
  const alone = reads[start]?.alone;
  if (end === start + 1 && alone !== undefined) return alone;
  return join(
    reads,
    Array.from({ length: end - start }, (_, offset) => start + offset),
  );
}

const join = groupOnce((reads: readonly ReadItem[], items): ItemGroup => {
  const joined = items.flatMap((item) => reads[item] ?? []);
  return groupOf(
    joined[0]?.type ?? "user",
    joined.flatMap(({ blocks }) => blocks),
    items,
  );
});

/** The blocks of a message with their places. */
export function placeBlocks({ items: indexes }: ItemGroup, { items }: Conversation): readonly PlacedBlock<ItemPlace>[] {
  return indexes.flatMap((item) =>
    readBlocks(asRecord(items[item]) ?? {}).map(({ block, place }) => ({ block, item, place })),
  );
}

/** Calls and results in the oldest form, which has no ids, or in that of Anthropic's API, which some servers take in `content`. */
function isUnpairable(item: JsonRecord): boolean {
  const { role, content, function_call: oldCall } = item;
  if (role === "function" || (oldCall !== undefined && oldCall !== null)) return true;
  if (role === "tool") return asName(item.tool_call_id) === undefined;
  const hasNamelessCall = asArray(item.tool_calls).some((call) => asName(fieldAt(call, "id")) === undefined);
  return hasNamelessCall || asArray(content).some((part) => FOREIGN_PARTS.has(fieldAt(part, "type")));
}

const FOREIGN_PARTS: ReadonlySet<unknown> = new Set(["tool_use", "tool_result"]);

interface ReadItem {
  /** An aside is the system's, or of a role that is not known. */
  readonly type: "user" | "assistant" | "result" | "aside";
  readonly isSystem: boolean;
  /** Of the calls that it makes. */
  readonly callIds: readonly unknown[];
  /** Of the call that it answers. */
  readonly callId: unknown;
  readonly blocks: readonly ItemBlock[];
  /** The message that it is where nothing joins it. */
  readonly alone: ItemGroup;
}

function readItem(record: JsonRecord, index: number): ReadItem {
  const type = typeOf(record);
  const blocks = readBlocks(record);
  return {
    type,
    isSystem: isSystem(record),
    callIds: type === "assistant" ? asArray(record.tool_calls).map((call) => fieldAt(call, "id")) : [],
    callId: type === "result" ? record.tool_call_id : undefined,
    blocks,
    alone: groupOf(type, blocks, [index]),
  };
}

function groupOf(type: ReadItem["type"], blocks: readonly ItemBlock[], items: readonly number[]): ItemGroup {
  return { items, message: { role: type === "assistant" ? "assistant" : "user", content: contentOf(blocks) } };
}

function typeOf({ role }: JsonRecord): ReadItem["type"] {
  if (role === "tool") return "result";
  return role === "user" || role === "assistant" ? role : "aside";
}

function isSystem({ role }: JsonRecord): boolean {
  return role === "system" || role === "developer";
}

function readBlocks(record: JsonRecord): readonly ItemBlock[] {
  switch (typeOf(record)) {
    case "user":
      return orWhole(record, readContent(record));
    case "assistant":
      return orWhole(record, readAssistant(record));
    case "result":
      return [readResult(record)];
    case "aside":
      return orWhole(record, isSystem(record) ? readContent(record).map(asHost(record)) : []);
  }
}

/** Says who speaks: what the system says must not pass for the user's words. */
function asHost({ role }: JsonRecord): (block: ItemBlock) => ItemBlock {
  return ({ block, place }) => (block.type === "text" ? { block: { ...block, role }, place } : { block, place });
}

/** An item in which nothing is known stands for itself: a message is never empty. */
function orWhole(record: JsonRecord, blocks: readonly ItemBlock[]): readonly ItemBlock[] {
  return blocks.length > 0 ? blocks : [{ block: { type: "message", message: record }, place: { type: "item" } }];
}

/** A text alone stays a string, so that it stays one on the wire. */
function contentOf(blocks: readonly ItemBlock[]): Content {
  const [first] = blocks;
  if (
    blocks.length === 1 &&
    first?.place.type === "text" &&
    first.place.field === "content" &&
    !("role" in first.block)
  ) {
    return "text" in first.block ? String(first.block.text) : "";
  }
  return blocks.map(({ block }) => block);
}
