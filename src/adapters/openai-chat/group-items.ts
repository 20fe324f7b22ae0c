import { asArray, asName, asRecord, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Content } from "../../core/message/message.ts";
import type { Grouping, ItemGroup, ItemList, PlacedBlock, WireConversation } from "../splice/index.ts";
import { groupEach, someItem } from "../splice/read-once.ts";
import { type ItemBlock, type ItemPlace, readAssistant, readContent, readResult } from "./read-item.ts";

/**
 * Groups the items into messages. All results of a turn are one message. A system item within the conversation joins the user's message before
 * it, or becomes a user's message of its own: summaries keep what users ask for. Undefined if calls and results have no ids that pair them.
 */
export function groupItems({ items }: ItemList): Grouping | undefined {
  if (isAnyUnpairable(items)) return undefined;
  const groups = groupConversation(items);
  return { headCount: groups[0]?.items[0] ?? items.length, groups };
}

const isAnyUnpairable = someItem(isUnpairable);

const groupConversation = groupEach<unknown, ItemGroup>(() => (items, start, list) => {
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
      // A reply begins a group whatever came before it: grouping can be resumed here.
      if (type === "assistant") list.resumable(index);
      group = { type, items: [], blocks: [] };
    }
    group.items.push(index);
    for (const block of readBlocks(item)) group.blocks.push(block);
  }
  if (group !== undefined) list.add(close(group));
});

interface PrecedingItems {
  readonly group: OpenGroup;
  /** The ids of the last reply's calls that have no result yet. */
  readonly openCalls: ReadonlySet<unknown>;
}

/** Whether an item joins the open group; else it begins the next one. */
function joins(type: ItemType, item: JsonRecord, { group, openCalls }: PrecedingItems): boolean {
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
export function placeBlocks(
  { items: indexes }: ItemGroup,
  { items }: WireConversation,
): readonly PlacedBlock<ItemPlace>[] {
  return indexes.flatMap((item) =>
    readBlocks(asRecord(items[item]) ?? {}).map(({ block, place }) => ({ block, item, place })),
  );
}

/** Whether calls or results have no id (the old `function_call` form) or are Anthropic's blocks, which some servers take in `content`. */
function isUnpairable(item: unknown): boolean {
  if (!isRecord(item)) return true;
  const { role, content, function_call: oldCall } = item;
  if (role === "function" || (oldCall !== undefined && oldCall !== null)) return true;
  if (role === "tool") return asName(item.tool_call_id) === undefined;
  const hasNamelessCall = asArray(item.tool_calls).some((call) => asName(fieldAt(call, "id")) === undefined);
  return hasNamelessCall || asArray(content).some((part) => FOREIGN_PARTS.has(fieldAt(part, "type")));
}

const FOREIGN_PARTS: ReadonlySet<unknown> = new Set(["tool_use", "tool_result"]);

/** An aside is an item of the system, the developer or an unknown role. */
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

/** Adds the role to text blocks of the system: they are part of a user's message, but must not pass for the user's words. */
function asHost({ role }: JsonRecord): (block: ItemBlock) => ItemBlock {
  return ({ block, place }) => (block.type === "text" ? { block: { ...block, role }, place } : { block, place });
}

/** The blocks of an item; if there are none, the whole item as one opaque block, since a message must not be empty. */
function orWhole(record: JsonRecord, blocks: readonly ItemBlock[]): readonly ItemBlock[] {
  return blocks.length > 0 ? blocks : [{ block: { type: "message", message: record }, place: { type: "item" } }];
}

/** The blocks as a message's content: a single text that was sent as a string stays a string. */
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
