import { isStandIn } from "./effective-view.ts";
import type { Message } from "./message.ts";

/** Whether blocks of a message are shown as stand-ins. */
export function isShortened({ folds = [] }: Message): boolean {
  return folds.length > 0;
}

/** Whether a request must be rewritten for this message: it is shortened, or a stand-in. What only the provider itself compacted can be sent as it came. */
export function isWrittenAnew(message: Message): boolean {
  return isShortened(message) || (isStandIn(message) && message.compaction !== "provider");
}

/** Whether a message has tags or block folds, or is a stand-in. A tag counts even where its stand-in is gone, and hides nothing. */
export function isPartOfFold(message: Message): boolean {
  const { condenseParent, truncationParent } = message;
  return condenseParent !== undefined || truncationParent !== undefined || isStandIn(message) || isShortened(message);
}
