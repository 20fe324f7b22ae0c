import type { ViewTracker } from "../../core/history/track-view.ts";
import type { Message } from "../../core/message/message.ts";
import { findHiddenResults, type HiddenResults } from "../../core/statement/rereads.ts";

/** What a log is at one moment, as far as its view tells. */
export interface LogState {
  /** Copied when someone looks: what nobody reads costs nothing, however long it is. */
  readonly view: readonly Message[];
  /** All messages, hidden ones too; undefined where they were not read from the store yet. */
  readonly messages: readonly Message[] | undefined;
  /** The newest record that rewrote it. */
  readonly rewriteVersion: number;
  /** How many messages of the view were appended since then. */
  readonly appendedMessages: number;
  /** The newest fold, or what was shown again of one. Undefined where there is none, or the log was rewound since. */
  readonly lastFold: FoldPlace | undefined;
  /** What the rewrite left hidden of what tools brought, as a set of the caller's own. */
  hiddenResults(): HiddenResults;
}

/** The same with all messages. */
export interface WholeLog extends LogState {
  readonly messages: readonly Message[];
}

/** Which record folded, and how many messages were appended since. */
export interface FoldPlace {
  readonly version: number;
  readonly appendedMessages: number;
}

type StatePlace = Pick<LogState, "rewriteVersion" | "appendedMessages" | "lastFold">;

/** What a log is now of which every message is tracked; later appends do not change it. */
export function wholeLogOf(tracker: ViewTracker, place: StatePlace): WholeLog {
  const [messages, view] = [frozenCopy(tracker.log()), frozenCopy(tracker.view())];
  return {
    ...place,
    get messages() {
      return messages();
    },
    get view() {
      return view();
    },
    // What came since the rewrite shows itself: it must not count as shown already.
    hiddenResults: () => findHiddenResults(before(messages(), place.appendedMessages)),
  };
}

/** Not by `slice` alone, which takes several times as long of a list that is frozen. */
function before(messages: readonly Message[], appended: number): readonly Message[] {
  return appended === 0 ? messages : [...messages].slice(0, messages.length - appended);
}

export interface VisibleLogOptions extends StatePlace {
  readonly hiddenResults: readonly string[];
  /** The log of this moment, once the records that led to it were read. */
  readonly readMessages: () => readonly Message[] | undefined;
}

/** What a log is now of which only the visible messages are tracked. */
export function visibleLogOf(
  tracker: ViewTracker,
  { hiddenResults, readMessages, ...place }: VisibleLogOptions,
): LogState {
  const view = frozenCopy(tracker.view());
  let messages: readonly Message[] | undefined;
  return {
    ...place,
    get messages() {
      messages ??= readMessages();
      return messages;
    },
    get view() {
      return view();
    },
    hiddenResults: () => new Set(hiddenResults),
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
