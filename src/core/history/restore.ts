import { PalimpsestError } from "../errors.ts";
import { checkMessages } from "../message/check-messages.ts";
import { collectStandIns, isStandIn, liveTags, markerId, summaryId } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { withoutField } from "./clean-up.ts";
import { hideCompaction } from "./fold-compacted.ts";

/**
 * Undoes one fold of any kind, named by its `condenseId`, `truncationId` or `foldId`: its stand-in goes, what it hid
 * comes back exactly.
 *
 * When a newer fold hides the stand-in itself, that newer fold takes over what the stand-in hid: it already stands for
 * all of it, and showing half of its span would leave tool calls without their results. The same holds for what lies before the stand-in
 * that the log opens with: without the messages around it, the view would begin in the middle of a turn.
 * @example
 * ```ts
 * import { compact, listFolds, type Message, restoreMessages } from "palimpsest";
 * const log = Array.from({ length: 40 }, (_, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content: `${at} `.repeat(200) }));
 * let { messages } = compact(log, 3_000);
 * for (const { foldId } of listFolds(messages)) messages = restoreMessages(messages, foldId);
 * console.log(JSON.stringify(messages) === JSON.stringify(log)); // true
 * ```
 */
export function restoreMessages(messages: readonly Message[], id: string): readonly Message[] {
  return swapCompaction(messages, id, "-opaque");
}

/** The same; where what a provider compacted comes back, `ending` ends the id of the fold that hides its compaction from then on. */
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
    return withoutTags({ ...unfolded, ...around, ...outer, ...liveTags(message, standIns) }, id);
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
 * The log as it was before any fold: every summary and marker gone, with the tags that name them and all block folds.
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
      const { condenseParent, truncationParent } = liveTags(message, standIns);
      const uncondensed = condenseParent === undefined ? message : withoutField(message, "condenseParent");
      const shown = truncationParent === undefined ? uncondensed : withoutField(uncondensed, "truncationParent");
      return shown.folds === undefined || shown.folds.length === 0 ? shown : withoutField(shown, "folds");
    });
}

/** The condensation that hides the log's first message, and where its stand-in is; undefined where the first message is visible. */
function hiddenOpening(
  messages: readonly Message[],
  standIns: ReturnType<typeof collectStandIns>,
): { readonly tags: Pick<Message, "condenseParent">; readonly end: number } | undefined {
  const [first] = messages;
  const condenseParent = first && liveTags(first, standIns).condenseParent;
  if (condenseParent === undefined) return undefined;
  return { tags: { condenseParent }, end: messages.findIndex((message) => summaryId(message) === condenseParent) };
}

function standsFor(message: Message, id: string): boolean {
  return summaryId(message) === id || markerId(message) === id;
}

function withoutTags(message: Message, id: string): Message {
  const uncondensed = message.condenseParent === id ? withoutField(message, "condenseParent") : message;
  return message.truncationParent === id ? withoutField(uncondensed, "truncationParent") : uncondensed;
}

function unfoldBlocks(message: Message, id: string): Message {
  if (!message.folds?.some((fold) => fold.foldId === id)) return message;
  const folds = message.folds.filter((fold) => fold.foldId !== id);
  return folds.length === 0 ? withoutField(message, "folds") : { ...message, folds };
}
