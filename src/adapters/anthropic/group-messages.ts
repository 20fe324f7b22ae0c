import { asRecord } from "../../core/json/read-json.ts";
import type { Message } from "../../core/message/message.ts";
import type { Grouping, ItemGroup, ItemList } from "../splice/index.ts";
import { readMessage } from "./read-message.ts";

/**
 * A message is a turn's item, and what came after it from others than user and assistant: system messages, roles that we do not know.
 * Those that come before the first turn stand before the conversation.
 */
export function groupMessages({ items }: ItemList): Grouping {
  const groups: ItemGroup[] = [];
  let headCount = items.length;
  let end = items.length;
  // From the end: what is attached to a turn comes before it.
  for (let index = items.length - 1; index >= 0; index--) {
    const role = turnRole(items[index]);
    if (role === undefined) continue;
    groups.push(groupOf(role, items, { start: index, end }));
    headCount = index;
    end = index;
  }
  return { headCount, groups: groups.reverse() };
}

interface ItemRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

function groupOf(role: Message["role"], items: readonly unknown[], { start, end }: ItemRange): ItemGroup {
  if (end === start + 1) return { message: readMessage(role, items[start], NOTHING), items: [start] };
  const indexes = Array.from({ length: end - start }, (_, offset) => start + offset);
  return { message: readMessage(role, items[start], items.slice(start + 1, end)), items: indexes };
}

const NOTHING: readonly unknown[] = [];

function turnRole(item: unknown): Message["role"] | undefined {
  const role = asRecord(item)?.role;
  return role === "user" || role === "assistant" ? role : undefined;
}
