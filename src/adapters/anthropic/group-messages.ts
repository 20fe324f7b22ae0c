import { asRecord } from "../../core/json/read-json.ts";
import type { Message } from "../../core/message/message.ts";
import type { Grouping, ItemGroup, ItemList } from "../splice/index.ts";
import { groupOnce, readEach } from "../splice/read-once.ts";
import { readMessage } from "./read-message.ts";

/**
 * A message is a turn's item, and what came after it from others than user and assistant: system messages, roles that we do not know.
 * Those that come before the first turn stand before the conversation.
 */
export function groupMessages({ items }: ItemList): Grouping {
  const turns = readTurns(items);
  const groups: ItemGroup[] = [];
  let headCount = items.length;
  let end = items.length;
  // From the end: what is attached to a turn comes before it.
  for (let index = items.length - 1; index >= 0; index--) {
    const turn = turns[index];
    if (turn === undefined) continue;
    groups.push(end === index + 1 ? turn : attach(items, indexesFrom(index, end)));
    headCount = index;
    end = index;
  }
  return { headCount, groups: groups.reverse() };
}

/** The message of each item that is a turn. */
const readTurns = readEach((item: unknown, index): ItemGroup | undefined => {
  const role = turnRole(item);
  return role === undefined ? undefined : { message: readMessage(role, item, []), items: [index] };
});

const attach = groupOnce((items: readonly unknown[], indexes): ItemGroup => {
  const [turn, ...attached] = indexes.map((index) => items[index]);
  return { message: readMessage(turnRole(turn) ?? "user", turn, attached), items: indexes };
});

function indexesFrom(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start }, (_, offset) => start + offset);
}

function turnRole(item: unknown): Message["role"] | undefined {
  const role = asRecord(item)?.role;
  return role === "user" || role === "assistant" ? role : undefined;
}
