import { placeOfNumber } from "../condense/ledger/message-number.ts";
import type { Message } from "../message/message.ts";

/** What a message of a log is called: by its id or, where it has none, by its place in the log: `#3`. */
export function messageName({ id }: Message, place: number): string {
  return id ?? `#${place}`;
}

/**
 * The place of a message without an id that is called so: `#3` for its place in the log, as `messageName` and recall call it, or `m12` for its
 * number, as ledgers do. Undefined where there is none.
 */
export function placeOfUnnamed(messages: readonly Message[], name: string): number | undefined {
  const place = /^#\d{1,9}$/.test(name) ? Number(name.slice(1)) : placeOfNumber(messages, name);
  const found = place === undefined ? undefined : messages[place];
  return found !== undefined && found.id === undefined ? place : undefined;
}
