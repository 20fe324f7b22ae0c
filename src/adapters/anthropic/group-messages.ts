import { asRecord } from "../../core/json/read-json.ts";
import type { Message } from "../../core/message/message.ts";
import type { Grouping, ItemGroup, ItemList } from "../splice/index.ts";
import { groupEach } from "../splice/read-once.ts";
import { readMessage } from "./read-message.ts";

/**
 * A message is a turn's item, and what came after it from others than user and assistant: system messages, roles that we do not know.
 * Those that come before the first turn stand before the conversation.
 */
export function groupMessages({ items }: ItemList): Grouping {
  const groups = groupTurns(items);
  return { headCount: groups[0]?.items[0] ?? items.length, groups };
}

const groupTurns = groupEach<unknown, ItemGroup>(() => (items, from, list) => {
  for (let start = from, end = from; start < items.length; start = end) {
    const role = turnRole(items[start]);
    end = endOfTurn(items, start);
    if (role === undefined) continue;
    list.resumable(start);
    list.add(groupOf(role, items, { start, end }));
  }
});

/** Where the next turn begins. */
function endOfTurn(items: readonly unknown[], start: number): number {
  let end = start + 1;
  while (end < items.length && turnRole(items[end]) === undefined) end++;
  return end;
}

interface ItemRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

function groupOf(role: Message["role"], items: readonly unknown[], { start, end }: ItemRange): ItemGroup {
  const indexes = Array.from({ length: end - start }, (_, offset) => start + offset);
  return { message: readMessage(role, items[start], items.slice(start + 1, end)), items: indexes };
}

function turnRole(item: unknown): Message["role"] | undefined {
  const role = asRecord(item)?.role;
  return role === "user" || role === "assistant" ? role : undefined;
}
