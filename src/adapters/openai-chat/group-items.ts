import { asArray, asName, asRecord, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Content, Message } from "../../core/message/message.ts";
import type { Conversation, Grouping, ItemGroup, ItemList, PlacedBlock } from "../splice/index.ts";
import { type ItemBlock, type ItemPlace, readAssistant, readContent, readResult } from "./read-item.ts";

/**
 * The conversation in messages: the results of a turn are one. What the system says in between belongs to the user's message before
 * it, or is one: summaries keep what users ask for. Undefined where calls and results have no ids that keep them together.
 */
export function groupItems({ items }: ItemList): Grouping | undefined {
  if (!items.every(isRecord) || items.some(isUnpairable)) return undefined;
  const firstSaid = items.findIndex((item) => !isSystem(item));
  const headCount = firstSaid < 0 ? items.length : firstSaid;
  const groups: OpenGroup[] = [];
  let openCalls = new Set<unknown>();
  let isAfterResult = false;
  for (const [index, item] of items.entries()) {
    if (index < headCount) continue;
    const { type, blocks } = readItem(item);
    if (type === "assistant") openCalls = new Set(asArray(item.tool_calls).map((call) => fieldAt(call, "id")));
    if (type === "result") openCalls.delete(item.tool_call_id);
    const isBehindUser = isSystem(item) && groups.at(-1)?.role === "user";
    const joins = (type === "aside" && (isBehindUser || openCalls.size > 0)) || (type === "result" && isAfterResult);
    let group = joins ? groups.at(-1) : undefined;
    if (group === undefined) {
      group = { role: type === "assistant" ? "assistant" : "user", items: [], blocks: [] };
      groups.push(group);
      isAfterResult = type === "result";
    }
    group.items.push(index);
    for (const block of blocks) group.blocks.push(block);
  }
  return {
    headCount,
    groups: groups.map(({ role, items: indexes, blocks }) => ({
      items: indexes,
      message: { role, content: contentOf(blocks) },
    })),
  };
}

export function isSystem({ role }: JsonRecord): boolean {
  return role === "system" || role === "developer";
}

interface OpenGroup {
  readonly role: Message["role"];
  readonly items: number[];
  readonly blocks: ItemBlock[];
}

/** The blocks of a message with their places: found again where one is folded, for few ever are. */
export function placeBlocks({ items: indexes }: ItemGroup, { items }: Conversation): readonly PlacedBlock<ItemPlace>[] {
  return indexes.flatMap((item) =>
    readItem(asRecord(items[item]) ?? {}).blocks.map(({ block, place }) => ({ block, item, place })),
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
  readonly blocks: readonly ItemBlock[];
}

function readItem(record: JsonRecord): ReadItem {
  switch (record.role) {
    case "user":
      return { type: "user", blocks: orWhole(record, readContent(record)) };
    case "assistant":
      return { type: "assistant", blocks: orWhole(record, readAssistant(record)) };
    case "tool":
      return { type: "result", blocks: [readResult(record)] };
    default:
      return {
        type: "aside",
        blocks: orWhole(record, isSystem(record) ? readContent(record).map(asHost(record)) : []),
      };
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
