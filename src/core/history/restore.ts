import { PalimpsestError } from "../errors.ts";
import { checkMessages } from "../message/check-messages.ts";
import { collectStandIns, isStandIn, liveTags, markerId, summaryId } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { withoutField } from "./clean-up.ts";

/**
 * Undoes one fold of any kind, named by its `condenseId`, `truncationId` or `foldId`: its stand-in goes, what it hid
 * comes back exactly.
 *
 * When a newer fold hides the stand-in itself, that newer fold takes over what the stand-in hid: it already stands for
 * all of it, and showing half of its span would leave tool calls without their results.
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
  const restored = remaining.map((message) => {
    const unfolded = unfoldBlocks(message, id);
    if (message.condenseParent !== id && message.truncationParent !== id) return unfolded;
    return { ...withoutTags(unfolded, id), ...outer, ...liveTags(message, standIns) };
  });
  if (standIn === undefined && restored.every((message, index) => message === messages[index])) {
    throw new PalimpsestError(
      "unknown-fold",
      `No fold has the id ${JSON.stringify(id)}. listFolds(messages), or session.folds(), names those that exist.`,
    );
  }
  return restored;
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
