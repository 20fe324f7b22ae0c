import { asArray, asName, asRecord, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Content } from "../../core/message/message.ts";
import type { Conversation, Grouping, ItemGroup, ItemList, PlacedBlock } from "../splice/index.ts";
import { groupEach, someItem } from "../splice/read-once.ts";
import { type ItemBlock, type ItemPlace, readAssistant, readContent, readResult } from "./read-item.ts";

/**
 * The conversation in messages: the results of a turn are one. What the system says in between belongs to the user's message before
 * it, or is one: summaries keep what users ask for. Undefined where calls and results have no ids that keep them together.
 */
export function groupItems({ items }: ItemList): Grouping | undefined {
  if (isAnyUnpairable(items)) return undefined;
  const groups = groupSaid(items);
  return { headCount: groups[0]?.items[0] ?? items.length, groups };
}

const isAnyUnpairable = someItem(isUnpairable);

const groupSaid = groupEach<unknown, ItemGroup>(() => (items, start, list) => {
  let group: OpenGroup | undefined;
  let openCalls = new Set<unknown>();
  for (let index = start; index < items.length; index++) {
    const item = asRecord(items[index]);
    if (item === undefined || (group === undefined && isSystem(item))) continue;
    const type = typeOf(item);
    if (type === "assistant") openCalls = new Set(asArray(item.tool_calls).map((call) => fieldAt(call, "id")));
    if (type === "result") openCalls.delete(item.tool_call_id);
    if (group === undefined || !joins(type, item, { group, openCalls })) {
      if (group !== undefined) list.add(close(group));
      // Nothing that came before has a part in what comes behind a reply.
      if (type === "assistant") list.resumable(index);
      group = { type, items: [], blocks: [] };
    }
    group.items.push(index);
    for (const block of readBlocks(item)) group.blocks.push(block);
  }
  if (group !== undefined) list.add(close(group));
});

interface Before {
  readonly group: OpenGroup;
  /** The ids of the last reply's calls that have no result yet. */
  readonly openCalls: ReadonlySet<unknown>;
}

/** Whether an item belongs to the message before it. */
function joins(type: ItemType, item: JsonRecord, { group, openCalls }: Before): boolean {
  if (type === "result") return group.type === "result";
  if (type !== "aside") return false;
  return openCalls.size > 0 || (isSystem(item) && group.type !== "assistant");
}

interface OpenGroup {
  /** The type of its first item. */
  readonly type: ItemType;
  readonly items: number[];
  readonly blocks: ItemBlock[];
}

function close({ type, items, blocks }: OpenGroup): ItemGroup {
  return { items, message: { role: type === "assistant" ? "assistant" : "user", content: contentOf(blocks) } };
}

/** The blocks of a message with their places. */
export function placeBlocks({ items: indexes }: ItemGroup, { items }: Conversation): readonly PlacedBlock<ItemPlace>[] {
  return indexes.flatMap((item) =>
    readBlocks(asRecord(items[item]) ?? {}).map(({ block, place }) => ({ block, item, place })),
  );
}

/** Calls and results in the oldest form, which has no ids, or in that of Anthropic's API, which some servers take in `content`. */
function isUnpairable(item: unknown): boolean {
  if (!isRecord(item)) return true;
  const { role, content, function_call: oldCall } = item;
  if (role === "function" || (oldCall !== undefined && oldCall !== null)) return true;
  if (role === "tool") return asName(item.tool_call_id) === undefined;
  const hasNamelessCall = asArray(item.tool_calls).some((call) => asName(fieldAt(call, "id")) === undefined);
  return hasNamelessCall || asArray(content).some((part) => FOREIGN_PARTS.has(fieldAt(part, "type")));
}

const FOREIGN_PARTS: ReadonlySet<unknown> = new Set(["tool_use", "tool_result"]);

/** An aside is the system's, or of a role that is not known. */
type ItemType = "user" | "assistant" | "result" | "aside";

function typeOf({ role }: JsonRecord): ItemType {
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
