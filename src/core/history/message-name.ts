import { placeOfNumber } from "../condense/ledger/message-number.ts";
import type { Message } from "../message/message.ts";

/** The name of a message of a log: its id or, where it has none, its index in the log: `#3`. */
export function messageName({ id }: Message, place: number): string {
  return id ?? `#${place}`;
}

/**
 * The index in the log of a message without an id, by its name: `#3`, as `messageName` and recall write it, or `m12`, as ledgers do. Undefined where
 * there is no such message, or it has an id.
 */
export function placeOfUnnamed(messages: readonly Message[], name: string): number | undefined {
  const place = /^#\d{1,9}$/.test(name) ? Number(name.slice(1)) : placeOfNumber(messages, name);
  const message = place === undefined ? undefined : messages[place];
  return message !== undefined && message.id === undefined ? place : undefined;
}
