import { placeOfNumber } from "../condense/ledger/message-number.ts";
import type { Message } from "../message/message.ts";

/** The name of a message of a log: its id or, where it has none, its index in the log: `#3`. */
export function messageName({ id }: Message, place: number): string {
  return id ?? `#${place}`;
}

/**
 * The name of a message that is given by its name or, whether it has an id or not, as `#3` or `m12`: recall writes a long id as the number that
 * ledgers use. Undefined where there is no such message.
 */
export function nameGivenAs(messages: readonly Message[], given: string): string | undefined {
  if (messages.some(({ id }) => id === given)) return given;
  const place = placeGivenAs(messages, given);
  const message = place === undefined ? undefined : messages[place];
  return message === undefined || place === undefined ? undefined : messageName(message, place);
}

function placeGivenAs(messages: readonly Message[], given: string): number | undefined {
  return /^#\d{1,9}$/.test(given) ? Number(given.slice(1)) : placeOfNumber(messages, given);
}

/**
 * The index in the log of a message without an id, by its name: `#3`, as `messageName` and recall write it, or `m12`, as ledgers do. Undefined where
 * there is no such message, or it has an id.
 */
export function placeOfUnnamed(messages: readonly Message[], name: string): number | undefined {
  const place = placeGivenAs(messages, name);
  const message = place === undefined ? undefined : messages[place];
  return message !== undefined && message.id === undefined ? place : undefined;
}
