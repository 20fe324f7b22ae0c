import { isStandIn } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";

/**
 * The message that a ledger calls `m12`: the one at that place among all that were said, from 0. Folding never moves it; undefined
 * where the log has no such message.
 */
export function findByNumber(messages: readonly Message[], name: string): Message | undefined {
  return messages[placeOfNumber(messages, name) ?? -1];
}

/** Where in the log the message is that a ledger calls so. */
export function placeOfNumber(messages: readonly Message[], name: string): number | undefined {
  if (!/^m\d{1,9}$/.test(name)) return undefined;
  let left = Number(name.slice(1));
  const place = messages.findIndex((message) => !isStandIn(message) && left-- === 0);
  return place === -1 ? undefined : place;
}
