import { isStandIn } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";

/**
 * The message that a ledger calls `m12`: the one at that place among all that were said, from 0. Folding never moves it; undefined
 * where the log has no such message.
 */
export function findByNumber(messages: readonly Message[], name: string): Message | undefined {
  if (!/^m\d{1,9}$/.test(name)) return undefined;
  return messages.filter((message) => !isStandIn(message))[Number(name.slice(1))];
}
