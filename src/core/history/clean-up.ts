import { checkMessages } from "../message/check-messages.ts";
import { collectStandIns, type ParentTags, type StandIns } from "../message/effective-view.ts";
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
  const standIns = collectStandIns(messages);
  return messages.map((message) => withoutOrphanTags(message, standIns));
}

/** The message without tags whose summary or marker is not in the log; the same object where there are none. */
export function withoutOrphanTags(message: Message, { condenseIds, truncationIds }: StandIns): Message {
  const isOrphan = (parent: string | undefined, ids: ReadonlySet<string>) => parent !== undefined && !ids.has(parent);
  const { condenseParent, truncationParent } = message;
  return withoutTags(message, {
    ...(isOrphan(condenseParent, condenseIds) ? { condenseParent } : {}),
    ...(isOrphan(truncationParent, truncationIds) ? { truncationParent } : {}),
  });
}

/** The message without those of its tags that are given; the same object where none is. */
export function withoutTags(message: Message, { condenseParent, truncationParent }: ParentTags): Message {
  const uncondensed = condenseParent === undefined ? message : withoutField(message, "condenseParent");
  return truncationParent === undefined ? uncondensed : withoutField(uncondensed, "truncationParent");
}

/** A copy without the field; not even an `undefined` stays behind. */
export function withoutField(message: Message, field: "condenseParent" | "truncationParent" | "folds"): Message {
  const { [field]: _dropped, ...rest } = message;
  return rest;
}
