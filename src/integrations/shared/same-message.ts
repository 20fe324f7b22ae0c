import { isRecord } from "../../core/json/read-json.ts";
import type { Message } from "../../core/message/message.ts";

/** Fields of blocks that an SDK changes from call to call: it moves cache marks to the newest message. */
const SETTINGS: ReadonlySet<string> = new Set(["providerOptions", "cache_control"]);

/** Whether two messages have the same role and content, apart from cache marks and provider options. */
export function isSameMessage(one: Message, other: Message): boolean {
  return one.role === other.role && isSame(one.content, other.content);
}

export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => isSame(item, other[index]));
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  // A field that was undefined is missing once a store has returned it.
  return [...names].every((name) => SETTINGS.has(name) || isSame(one[name], other[name]));
}
