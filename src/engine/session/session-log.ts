import type { CountTokens, Message } from "../../core/message/message.ts";
import type { StoredBlob } from "../../core/ports/store.ts";
import type { RequestTotals } from "../../core/statement/request-totals.ts";
import { createQueue, type Enqueue } from "../queue.ts";
import type { Journal } from "./journal/journal.ts";
import type { LogHistory } from "./journal/log-history.ts";
import type { LogRecord } from "./journal/log-record.ts";
import { createJournalSync, type JournalSync } from "./journal-sync.ts";
import type { LearnedTokens } from "./learned-tokens.ts";
import { createUnsavedEvents, logEvents, type UnsavedEvents } from "./log-events.ts";
import type { LogOutline } from "./log-outline.ts";
import { createLogReplay, type LogReplay, type LogReplayOptions } from "./log-replay.ts";
import type { LogState, WholeLog } from "./log-state.ts";
import { logWrites } from "./log-writes.ts";
import type { EventTypes, SessionEvent } from "./report.ts";
import type { ConversationGrowth } from "./requests/conversation-growth.ts";
import { createStateSaver } from "./state-saver.ts";

/** A session's log. Messages are appended at any time; folds and rewinds rewrite the log as a whole. Every change is kept in the journal first. */
export interface SessionLog {
  /** Appends all messages or, where one cannot be counted or kept, none. */
  append(messages: readonly Message[]): Promise<void>;
  /** Appends messages only if the log still has this version. Resolves to false, and appends nothing, where something was written since. */
  appendAfter(version: number, messages: readonly Message[]): Promise<boolean>;
  /** Writes the first records of the log. Resolves to false, and writes nothing, where it has records already. */
  begin(records: readonly LogRecord[]): Promise<boolean>;
  /** The view as it is now: later appends do not change the array. */
  view(): readonly Message[];
  viewTokens(): number;
  /**
   * Replaces the log at `base` by its folded form; messages that were appended since stay behind it. Resolves to false, and changes nothing,
   * where the log was rewritten since. These events, and those of `record` before them, are kept in the same write. Throws "invalid-argument" where
   * `folded` did more than hide.
   * @default events none
   */
  commit(base: WholeLog, folded: readonly Message[], events?: readonly SessionEvent[]): Promise<boolean>;
  /** Sets the log back to the version that `find` returns. `find` is called again where another process rewrote the log meanwhile. */
  rewind(find: (history: LogHistory) => RewindRecord): Promise<WrittenRewind>;
  /** The log as it is now: later appends do not change it. The same object as long as the log is the same. */
  state(): LogState;
  /** The log with its hidden messages, which are read from the store when they are first needed. */
  whole(): Promise<WholeLog>;
  /** The log with its hidden messages. Throws where they were not read yet. */
  loaded(): WholeLog;
  /** The outline of a log whose hidden messages were not read. Undefined where they were, and where the saved state has no outline. */
  outline(): LogOutline | undefined;
  /** The number of messages in the log, without the stand-ins of folds. */
  saidMessages(): number;
  /** Adds an event that the next `flush` writes. */
  record(event: SessionEvent): void;
  /**
   * Writes an event about the log at this version, with the events of `recordLater` in front of it, in one write. Resolves to false, and writes
   * nothing, where something was written since.
   */
  recordAt(version: number, event: SessionEvent): Promise<boolean>;
  /** Writes the events of `record` and, in the same write, those of `recordLater`. */
  flush(): Promise<void>;
  /** Adds an event that no caller waits for. It is written with the next messages, or soon on its own. */
  recordLater(event: SessionEvent, blobs?: readonly StoredBlob[]): void;
  /** Writes the events of `recordLater` now. */
  flushLater(): Promise<void>;
  /** The events of some types, or all. Hidden messages are read from the store, unless all types are lasting ones (see `isLasting`). */
  events(types?: EventTypes): Promise<readonly SessionEvent[]>;
  /** What the records teach about how a model counts tokens. */
  learned(modelId: string): LearnedTokens | undefined;
  /** What they teach from the next message on; undefined where that is what holds already. */
  nextLearned(modelId: string): LearnedTokens | undefined;
  /** Whether a prompt with a reported size had tools; undefined where no size was reported. */
  hasTools(): boolean | undefined;
  /** The number of the log's records. */
  version(): number;
  history(): Promise<LogHistory>;
  growth(): ConversationGrowth;
  /** The totals of all requests before the newest message, those that are not written yet included. */
  requests(): RequestTotals;
  /** Reads what other processes have written. */
  refresh(): Promise<void>;
}

export type RewindRecord = Extract<LogRecord, { readonly type: "rewind" }>;

export interface WrittenRewind {
  readonly record: RewindRecord;
  /** The version of the record; other processes may have written more behind it. */
  readonly version: number;
}

export interface SessionLogOptions extends LogReplayOptions {
  readonly journal: Journal;
}

/** Opens the log that a journal keeps. */
export async function openSessionLog({ journal, ...options }: SessionLogOptions): Promise<SessionLog> {
  const saved = await journal.readSaved();
  const replay = createLogReplay(options, saved);
  const enqueue = createQueue();
  const unsaved = createUnsavedEvents();
  const saver = createStateSaver({ journal, replay, unsaved, enqueue, savedVersion: saved?.version ?? 0 });
  const { take, load, write } = createJournalSync({ journal, replay, enqueue, saveSoon: saver.saveSoon });
  const { sessionId, countTokens } = options;
  const context: LogContext = { sessionId, countTokens, replay, enqueue, load, write, unsaved };
  const refresh = () => enqueue(async () => take(await journal.catchUp()));
  await refresh();
  return {
    ...logWrites(context),
    ...logEvents(context),
    view: () => replay.state().view,
    viewTokens: replay.viewTokens,
    state: replay.state,
    whole: async () => {
      await load();
      return replay.whole();
    },
    loaded: replay.whole,
    outline: () => {
      const outline = replay.outline();
      if (outline === undefined && !replay.isWhole()) saver.replace();
      return outline;
    },
    saidMessages: replay.saidMessages,
    learned: replay.learned,
    nextLearned: replay.nextLearned,
    hasTools: replay.hasTools,
    version: replay.history.version,
    history: async () => {
      await load();
      return replay.history;
    },
    growth: () => replay.growth,
    requests: () => replay.requests.totals(unsaved.list(), replay.growth.saidVersion()),
    refresh,
  };
}

/** The parts of a log that its groups of operations share. */
export interface LogContext {
  readonly sessionId: string;
  readonly countTokens: CountTokens;
  readonly replay: LogReplay;
  /** Runs one write at a time. */
  readonly enqueue: Enqueue;
  readonly load: JournalSync["load"];
  readonly write: JournalSync["write"];
  readonly unsaved: UnsavedEvents;
}
