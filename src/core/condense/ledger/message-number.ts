import { isStandIn } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";

/**
 * The message that a ledger calls `m12`: number 12, counted from 0, of all messages that were said. Folds do not change these numbers, as stand-ins are
 * not counted. Undefined where the log has no such message.
 */
export function findByNumber(messages: readonly Message[], name: string): Message | undefined {
  return messages[placeOfNumber(messages, name) ?? -1];
}

/** The index in the log of the message that a ledger calls by this name, if there is one. */
export function placeOfNumber(messages: readonly Message[], name: string): number | undefined {
  if (!/^m\d{1,9}$/.test(name)) return undefined;
  let left = Number(name.slice(1));
  const place = messages.findIndex((message) => !isStandIn(message) && left-- === 0);
  return place === -1 ? undefined : place;
}
