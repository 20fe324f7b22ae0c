import { PalimpsestError } from "../errors.ts";
import { checkMessages } from "../message/check-messages.ts";
import { collectStandIns, isStandIn, liveTags, markerId, type StandIns, summaryId } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { withoutField, withoutTags } from "./clean-up.ts";
import { hideCompaction } from "./fold-compacted.ts";

/**
 * Undoes one fold of any kind, named by its `condenseId`, `truncationId` or `foldId`: its stand-in is removed, and what it hid
 * comes back exactly.
 *
 * When a newer fold hides the stand-in itself, that newer fold takes over what the stand-in hid: it already stands for
 * all of it, and showing half of its span would leave tool calls without their results. The fold that hides the opening of the log takes over
 * what was hidden before its stand-in, too: otherwise the view would begin in the middle of a turn.
 * @example
 * ```ts
 * import { compact, type Message, restoreMessages } from "palimpsest";
 * const log = Array.from({ length: 40 }, (_, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content: `Step ${at}. `.repeat(40) }));
 * const { messages, foldIds } = compact(log, 3_000);
 * const [foldId = ""] = foldIds;
 * console.log(JSON.stringify(restoreMessages(messages, foldId)) === JSON.stringify(log)); // true
 * ```
 */
export function restoreMessages(messages: readonly Message[], id: string): readonly Message[] {
  return swapCompaction(messages, id, "-opaque");
}

/**
 * Undoes one fold as `restoreMessages` does. Where it is our account of a provider's compaction, the compaction is hidden in turn, by a fold whose
 * id is `id` with this ending.
 */
export function swapCompaction(messages: readonly Message[], id: string, ending: string): readonly Message[] {
  checkMessages(messages);
  if (typeof id !== "string") {
    throw new PalimpsestError(
      "invalid-argument",
      `id is ${id}; it must be the id of a fold. listFolds(messages), or session.folds(), names them.`,
    );
  }
  const standIn = messages.find((message) => standsFor(message, id));
  const remaining = messages.filter((message) => !standsFor(message, id));
  const standIns = collectStandIns(remaining);
  const outer = standIn === undefined ? {} : liveTags(standIn, standIns);
  const opening = hiddenOpening(remaining, standIns);
  const shown = remaining.map((message, index) => {
    const unfolded = unfoldBlocks(message, id);
    if (message.condenseParent !== id && message.truncationParent !== id) return unfolded;
    const around = opening !== undefined && index < opening.end ? opening.tags : {};
    // A tag that another replaces keeps its place among the fields: a store applies the same change as a patch, and must get the same bytes.
    return withoutTagsNaming(id, { ...unfolded, ...around, ...outer, ...liveTags(message, standIns) });
  });
  if (standIn === undefined && shown.every((message, index) => message === messages[index])) {
    throw new PalimpsestError(
      "unknown-fold",
      `No fold has the id ${JSON.stringify(id)}. listFolds(messages), or session.folds(), names those that exist.`,
    );
  }
  if (standIn?.compaction !== "provider" || Object.keys(outer).length > 0) return shown;
  return hideCompaction(shown, { start: messages.indexOf(standIn), foldId: `${id}${ending}` });
}

/**
 * Undoes all folds: returns the log as it was before the first one, without summaries and markers, the tags that name them, and folds of blocks.
 * @example
 * ```ts
 * import { compact, type Message, restoreAllMessages } from "palimpsest";
 * const log = Array.from({ length: 40 }, (_, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content: `${at} `.repeat(200) }));
 * const { messages } = compact(log, 3_000);
 * console.log(JSON.stringify(restoreAllMessages(messages)) === JSON.stringify(log)); // true
 * ```
 */
export function restoreAllMessages(messages: readonly Message[]): readonly Message[] {
  checkMessages(messages);
  const standIns = collectStandIns(messages);
  return messages
    .filter((message) => !isStandIn(message))
    .map((message) => {
      const shown = withoutTags(message, liveTags(message, standIns));
      return shown.folds === undefined || shown.folds.length === 0 ? shown : withoutField(shown, "folds");
    });
}

/** The condensation that hides the log's first message, and where its stand-in is; undefined where the first message is visible. */
function hiddenOpening(
  messages: readonly Message[],
  standIns: StandIns,
): { readonly tags: Pick<Message, "condenseParent">; readonly end: number } | undefined {
  const [first] = messages;
  const condenseParent = first && liveTags(first, standIns).condenseParent;
  if (condenseParent === undefined) return undefined;
  return { tags: { condenseParent }, end: messages.findIndex((message) => summaryId(message) === condenseParent) };
}

function standsFor(message: Message, id: string): boolean {
  return summaryId(message) === id || markerId(message) === id;
}

function withoutTagsNaming(id: string, message: Message): Message {
  const { condenseParent, truncationParent } = message;
  return withoutTags(message, {
    ...(condenseParent === id ? { condenseParent } : {}),
    ...(truncationParent === id ? { truncationParent } : {}),
  });
}

function unfoldBlocks(message: Message, id: string): Message {
  if (!message.folds?.some((fold) => fold.foldId === id)) return message;
  const folds = message.folds.filter((fold) => fold.foldId !== id);
  return folds.length === 0 ? withoutField(message, "folds") : { ...message, folds };
}
