import type { ViewTracker } from "../../core/history/track-view.ts";
import type { Message } from "../../core/message/message.ts";
import { findHiddenResults, type HiddenResults } from "../../core/statement/rereads.ts";
import type { LogHistory } from "./journal/log-history.ts";
import { extendOutline, type LogOutline, outlineOf, type SavedOutline, saveOutline } from "./log-outline.ts";
import type { LogPlace } from "./log-place.ts";
import type { SavedReplay } from "./saved-replay.ts";

/** A log at one moment. */
export interface LogState extends LogPlace {
  /** A frozen copy, made when it is first read. */
  readonly view: readonly Message[];
  /** All messages, hidden ones too; undefined where they were not read from the store yet. */
  readonly messages: readonly Message[] | undefined;
  /** The version of the newest record that rewrote the log; 0 where none did. */
  readonly rewriteVersion: number;
  /** The tool results that were hidden after the last rewrite, as a set of the caller's own. */
  hiddenResults(): HiddenResults;
}

/** A log at one moment, with all messages read. */
export interface WholeLog extends LogState {
  readonly messages: readonly Message[];
}

type StatePlace = Pick<LogState, "rewriteVersion" | keyof LogPlace>;

/** The states of one log, each made when it is first asked for and kept until `forget`. */
export interface LogStates {
  /** Throws where the history lacks records. */
  whole(): WholeLog;
  state(): LogState;
  /** The outline of a log whose history lacks records; undefined for any other, and where the saved state has none. */
  outline(): LogOutline | undefined;
  /** The outline for a saved state; undefined in sessions that never asked for an outline. */
  outlineToSave(): SavedOutline | undefined;
  /** Called when the log has changed. */
  forget(): void;
}

export interface LogStatesOptions {
  readonly sessionId: string;
  readonly history: LogHistory;
  readonly tracker: ViewTracker;
  readonly place: () => StatePlace;
  /** The saved state that the log was opened from; undefined where there was none. */
  readonly saved: Pick<SavedReplay, "hiddenResults" | "outline" | "visible"> | undefined;
}

export function createLogStates({ sessionId, history, tracker, place, saved }: LogStatesOptions): LogStates {
  const { hiddenResults = [] } = saved ?? {};
  let wholeLog: WholeLog | undefined;
  let visibleLog: LogState | undefined;
  let outlined: LogOutline | undefined;
  let isOutlineUsed = false;

  function whole(): WholeLog {
    if (!history.isWhole()) throw new Error(`The log of ${sessionId} was not read yet.`);
    wholeLog ??= wholeLogOf(tracker, place());
    return wholeLog;
  }

  function currentOutline(): LogOutline | undefined {
    if (history.isWhole() || saved?.outline === undefined) return undefined;
    const { length } = saved.visible;
    outlined ??= extendOutline(saved.outline, tracker.log().slice(0, length), tracker.log().slice(length));
    return outlined;
  }

  return {
    whole,
    state: () => {
      if (history.isWhole()) return whole();
      const version = history.version();
      const readMessages = () => (history.isWhole() ? Object.freeze(history.logAt(version)) : undefined);
      visibleLog ??= visibleLogOf(tracker, { ...place(), hiddenResults, readMessages });
      return visibleLog;
    },
    outline: () => {
      isOutlineUsed = true;
      return currentOutline();
    },
    outlineToSave: () => {
      if (history.isWhole()) return isOutlineUsed ? outlineOf(tracker.log()) : undefined;
      const current = currentOutline();
      return current && saveOutline(current);
    },
    forget: () => {
      wholeLog = undefined;
      visibleLog = undefined;
      outlined = undefined;
    },
  };
}

/** The present state of a log, for a tracker that follows all of its messages. Later appends do not change the state. */
function wholeLogOf(tracker: ViewTracker, place: StatePlace): WholeLog {
  const [messages, view] = [frozenCopy(tracker.log()), frozenCopy(tracker.view())];
  return {
    ...place,
    get messages() {
      return messages();
    },
    get view() {
      return view();
    },
    // Without the messages since the rewrite: a hidden result that one of them shows again still counts as hidden by the rewrite.
    hiddenResults: () => findHiddenResults(before(messages(), place.appendedMessages)),
  };
}

/** All messages but the last ones. Copied first: `slice` of a frozen array takes several times as long. */
function before(messages: readonly Message[], appended: number): readonly Message[] {
  return appended === 0 ? messages : [...messages].slice(0, messages.length - appended);
}

interface VisibleLogOptions extends StatePlace {
  readonly hiddenResults: readonly string[];
  /** Returns the log of this moment; undefined until the records that led to it were read. */
  readonly readMessages: () => readonly Message[] | undefined;
}

/** The present state of a log, for a tracker that follows only its visible messages. */
function visibleLogOf(tracker: ViewTracker, { hiddenResults, readMessages, ...place }: VisibleLogOptions): LogState {
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

/** The present items of a list that only grows in place. They are copied when they are first read: a state that nobody reads costs nothing. */
export function frozenCopy<Item>(growing: readonly Item[]): () => readonly Item[] {
  const { length } = growing;
  let copy: readonly Item[] | undefined;
  return () => {
    copy ??= Object.freeze(growing.slice(0, length));
    return copy;
  };
}
