import { checkMessages } from "../message/check-messages.ts";
import {
  collectStandIns,
  effectiveView,
  isHidden,
  isStandIn,
  renderMessage,
  type StandIns,
} from "../message/effective-view.ts";
import { frozenLog } from "../message/log-segments.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { countMessagesTokens, countMessageTokens } from "../tokens/count-messages.ts";

/** Keeps the view of a growing log and its size up to date; an append costs the same however long the log is. */
export interface ViewTracker {
  append(message: Message): void;
  /** Takes a log that was rewritten: folded, restored or rewound. */
  replace(messages: readonly Message[]): void;
  /** The log so far. Grows in place with `append`; copy it to keep it. */
  log(): readonly Message[];
  /** The view, as `effectiveView` gives it. Grows in place with `append`; copy it to keep it. */
  view(): readonly Message[];
  /** Tokens of the view. */
  tokens(): number;
}

/**
 * Keeps the view of a growing log, and the view's tokens. The log begins as `messages`; an append costs the same however long it is.
 * @default countTokens countContentTokens
 * @example
 * ```ts
 * import { trackView } from "palimpsest/core";
 * const tracker = trackView([{ role: "user", content: "Why does it blink?" }]);
 * tracker.append({ role: "assistant", content: "Twice is a tug." });
 * console.log(tracker.view().length, tracker.tokens()); // 2 11
 * ```
 */
export function trackView(messages: readonly Message[], countTokens: CountTokens = countContentTokens): ViewTracker {
  let log: Message[] = [];
  let view: Message[] = [];
  let standIns: StandIns = collectStandIns([]);
  let tokens = 0;

  function replace(messages: readonly Message[]): void {
    checkMessages(messages);
    const rewritten = frozenLog(messages);
    view = [...effectiveView(rewritten)];
    log = [...rewritten];
    standIns = collectStandIns(rewritten);
    tokens = countMessagesTokens(view, countTokens);
  }

  function append(message: Message): void {
    checkMessages([message]);
    // A stand-in hides messages before it, so the whole log is read again.
    if (isStandIn(message)) {
      replace([...log, message]);
      return;
    }
    log.push(message);
    if (isHidden(message, standIns)) return;
    const shown = renderMessage(message);
    view.push(shown);
    tokens += countMessageTokens(shown, countTokens);
  }

  replace(messages);
  return { append, replace, log: () => log, view: () => view, tokens: () => tokens };
}
