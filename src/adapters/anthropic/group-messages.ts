import { asRecord } from "../../core/transcript/read-json.ts";
import type { Grouping, ItemList } from "../splice/index.ts";
import { readMessage } from "./read-message.ts";

/**
 * A message is a turn's item, and what came after it from others than user and assistant: system messages, roles that we do not know.
 * Those that come before the first turn stand before the conversation.
 */
export function groupMessages({ items }: ItemList): Grouping {
  const starts = items.flatMap((item, index) => (turnRole(item) === undefined ? [] : [index]));
  const groups = starts.map((start, position) => {
    const end = starts[position + 1] ?? items.length;
    const [main, ...attached] = items.slice(start, end);
    const indexes =
      attached.length === 0 ? [start] : Array.from({ length: end - start }, (_, offset) => start + offset);
    return { message: readMessage(turnRole(main) ?? "user", main, attached), items: indexes };
  });
  return { headCount: starts[0] ?? items.length, groups };
}

function turnRole(item: unknown): "user" | "assistant" | undefined {
  const role = asRecord(item)?.role;
  return role === "user" || role === "assistant" ? role : undefined;
}
