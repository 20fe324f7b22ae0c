import { renderMessage, visiblePlaces } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";

/** A message of the view, and its index in the log. */
export interface ViewEntry {
  readonly logIndex: number;
  /** As the log has it. */
  readonly original: Message;
  /** As the view shows it. */
  readonly message: Message;
}

/** The messages of a log's view, in order. */
export function viewEntries(messages: readonly Message[]): readonly ViewEntry[] {
  return visiblePlaces(messages).flatMap((logIndex) => {
    const original = messages[logIndex];
    return original === undefined ? [] : [{ logIndex, original, message: renderMessage(original) }];
  });
}

/** The entry that follows the last of `hidden`, which are entries of the view in order. */
export function entryAfter(view: readonly ViewEntry[], hidden: readonly ViewEntry[]): ViewEntry | undefined {
  const lastHidden = hidden.at(-1)?.logIndex ?? Number.POSITIVE_INFINITY;
  return view.find((entry) => entry.logIndex > lastHidden);
}
