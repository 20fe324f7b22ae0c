import type { ViewTracker } from "../../core/history/track-view.ts";
import type { Message } from "../../core/message/message.ts";

/** What a log is at one moment. */
export interface LogState {
  /** Copied when someone looks: what nobody reads costs nothing, however long the log is. */
  readonly messages: readonly Message[];
  readonly view: readonly Message[];
  /** The newest record that rewrote it. */
  readonly rewriteVersion: number;
  /** How many messages of the view were appended since then. */
  readonly appendedMessages: number;
  /** The newest fold, or what was shown again of one. Undefined where there is none, or the log was rewound since. */
  readonly lastFold: FoldPlace | undefined;
}

/** Which record folded, and how many messages were appended since. */
export interface FoldPlace {
  readonly version: number;
  readonly appendedMessages: number;
}

/** What a tracked log is now; later appends do not change it. */
export function logStateOf(
  tracker: ViewTracker,
  { rewriteVersion, appendedMessages, lastFold }: Pick<LogState, "rewriteVersion" | "appendedMessages" | "lastFold">,
): LogState {
  const [messages, view] = [frozenCopy(tracker.log()), frozenCopy(tracker.view())];
  return {
    rewriteVersion,
    appendedMessages,
    lastFold,
    get messages() {
      return messages();
    },
    get view() {
      return view();
    },
  };
}

/**
 * What a list is now, which later only grows in place: a frozen copy, made when it is first looked at. Whoever does not look
 * pays nothing, however long the list is.
 */
export function frozenCopy<Item>(growing: readonly Item[]): () => readonly Item[] {
  const { length } = growing;
  let copy: readonly Item[] | undefined;
  return () => {
    copy ??= Object.freeze(growing.slice(0, length));
    return copy;
  };
}
