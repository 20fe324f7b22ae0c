import { checkMessages } from "../message/check-messages.ts";
import { collectStandIns } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";

/**
 * Clears tags whose summary or marker is not in the log. Every other message stays the same object.
 * @example
 * ```ts
 * import { cleanupAfterTruncation, type Message } from "palimpsest/core";
 * const log: Message[] = [{ role: "user", content: "hello", truncationParent: "gone" }];
 * console.log(cleanupAfterTruncation(log)); // [ { role: 'user', content: 'hello' } ]
 * ```
 */
export function cleanupAfterTruncation(messages: readonly Message[]): readonly Message[] {
  checkMessages(messages);
  const { condenseIds, truncationIds } = collectStandIns(messages);
  const isOrphan = (parent: string | undefined, ids: ReadonlySet<string>) => parent !== undefined && !ids.has(parent);
  return messages.map((message) => {
    const { condenseParent, truncationParent } = message;
    const cleaned = isOrphan(condenseParent, condenseIds) ? withoutField(message, "condenseParent") : message;
    return isOrphan(truncationParent, truncationIds) ? withoutField(cleaned, "truncationParent") : cleaned;
  });
}

/** A copy without the field; not even an `undefined` stays behind. */
export function withoutField(message: Message, field: "condenseParent" | "truncationParent" | "folds"): Message {
  const { [field]: _dropped, ...rest } = message;
  return rest;
}
