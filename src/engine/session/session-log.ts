import { PalimpsestError } from "../../core/errors.ts";
import { diffLogs } from "../../core/history/log-patch.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import type { StoredBlob } from "../../core/ports/store.ts";
import type { RequestTotals } from "../../core/statement/request-totals.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { ownMessages } from "../extensions/own-messages.ts";
import type { Journal } from "./journal/journal.ts";
import type { LogHistory } from "./journal/log-history.ts";
import type { LogRecord } from "./journal/log-record.ts";
import { createJournalSync, type JournalSync } from "./journal-sync.ts";
import type { LearnedTokens } from "./learned-tokens.ts";
import { createLogReplay, type LogReplay, type LogReplayOptions } from "./log-replay.ts";
import type { LogState, WholeLog } from "./log-state.ts";
import type { SessionEvent } from "./report.ts";
import type { ConversationGrowth } from "./requests/conversation-growth.ts";
import { createQueue } from "./session-context.ts";
import { createStateSaver } from "./state-saver.ts";
import { createUnsavedEvents, type UnsavedEvents } from "./unsaved-events.ts";

/** A session's log, which grows at any time and is rewritten only as a whole. Every change is kept in the journal first. */
export interface SessionLog {
  /** All of them or, where one cannot be counted or kept, none. */
  append(messages: readonly Message[]): Promise<void>;
  /** The same, but only where nothing was written since that version; false, and nothing is done, where something was. */
  appendAfter(version: number, messages: readonly Message[]): Promise<boolean>;
  /** Takes its first records; false, and nothing is done, where it has some already. */
  begin(records: readonly LogRecord[]): Promise<boolean>;
  /** The view as it is now; later appends do not change the array. */
  view(): readonly Message[];
  viewTokens(): number;
  /**
   * Takes a folded form of what the log was at `base`, with all that was appended since. False when the log has been
   * rewritten meanwhile: then nothing changes. The event is kept with it, both or none.
   */
  commit(base: WholeLog, folded: readonly Message[], event?: SessionEvent): Promise<boolean>;
  /** Makes the log what it was at a version that `find` gives; asked again where others rewrote the log meanwhile. */
  rewind(find: (history: LogHistory) => RewindRecord): Promise<WrittenRewind>;
  /** What the log is now; later appends do not change it. The same object as long as the log is the same. */
  state(): LogState;
  /** The same with what folds hide, which is read from the store when it is first needed. */
  whole(): Promise<WholeLog>;
  /** The same, for those who know that it was read. */
  loaded(): WholeLog;
  /** How many messages it has without what folds have put into it. */
  saidMessages(): number;
  /** Notes what happened; kept with the next `flush`. */
  record(event: SessionEvent): void;
  /**
   * Keeps what is true of the log at that version, behind what was noted for later, in one write; false, and nothing is done, where something
   * was written since.
   */
  recordAt(version: number, event: SessionEvent): Promise<boolean>;
  flush(): Promise<void>;
  /** Notes what nobody waits for: kept with the next messages, or soon by itself. */
  recordLater(event: SessionEvent, blobs?: readonly StoredBlob[]): void;
  /** Resolves when what was noted for later is kept, too. */
  flushLater(): Promise<void>;
  events(): Promise<readonly SessionEvent[]>;
  /** What was learned of a model's tokens. */
  learned(modelId: string): LearnedTokens | undefined;
  /** The same, from the next message on. */
  nextLearned(modelId: string): LearnedTokens | undefined;
  /** Whether tools were sent with a prompt that was reported; undefined where none was reported. */
  hasTools(): boolean | undefined;
  /** The number of its records. */
  version(): number;
  history(): Promise<LogHistory>;
  growth(): ConversationGrowth;
  /** What the requests before the newest message add up to, those that are not kept yet among them. */
  requests(): RequestTotals;
  /** Takes in what others have written. */
  refresh(): Promise<void>;
}

export type RewindRecord = Extract<LogRecord, { readonly type: "rewind" }>;

export interface WrittenRewind {
  readonly record: RewindRecord;
  /** The version of the record; others may have written more right behind it. */
  readonly version: number;
}

export interface SessionLogOptions extends LogReplayOptions {
  readonly journal: Journal;
}

/** Others may rewrite a log again and again; after so many times in a row the caller is told. */
const MAX_REWIND_TRIES = 5;

/** Opens the log that a journal keeps. */
export async function openSessionLog({ journal, ...options }: SessionLogOptions): Promise<SessionLog> {
  const saved = await journal.readSaved();
  const replay = createLogReplay(options, saved);
  const enqueue = createQueue();
  const { sessionId, countTokens } = options;
  const unsaved = createUnsavedEvents();
  const saveSoon = createStateSaver({ journal, replay, unsaved, enqueue, savedVersion: saved?.version ?? 0 });
  const { take, load, write } = createJournalSync({ journal, replay, enqueue, saveSoon });
  const context: LogContext = { sessionId, countTokens, replay, enqueue, load, write, unsaved };
  const refresh = () => enqueue(async () => take(await journal.catchUp()));
  await refresh();
  return {
    ...addMessages(context),
    ...rewrite(context),
    ...recordEvents(context),
    view: () => replay.state().view,
    viewTokens: replay.viewTokens,
    state: replay.state,
    whole: async () => {
      await load();
      return replay.whole();
    },
    loaded: replay.whole,
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
    requests: () => replay.requests.totals(context.unsaved.list(), replay.growth.saidVersion()),
    refresh,
  };
}

/** What the operations of a log share. */
interface LogContext {
  readonly sessionId: string;
  readonly countTokens: CountTokens;
  readonly replay: LogReplay;
  /** One write after the other. */
  readonly enqueue: ReturnType<typeof createQueue>;
  readonly load: JournalSync["load"];
  readonly write: JournalSync["write"];
  readonly unsaved: UnsavedEvents;
}

function addMessages({
  countTokens,
  replay: { history },
  enqueue,
  write,
  unsaved,
}: LogContext): Pick<SessionLog, "append" | "appendAfter" | "begin"> {
  /** Counted before anything is kept: a message that cannot be counted is refused. */
  function recordsOf(added: readonly Message[]): readonly LogRecord[] {
    const own = ownMessages(added);
    countMessagesTokens(own.map(renderMessage), countTokens);
    return own.map((message) => ({ type: "message", message }));
  }
  return {
    append: (added) => {
      const records = recordsOf(added);
      return enqueue(async () => {
        if (records.length > 0) await unsaved.saveLater((events) => write([...events, ...records]));
      });
    },
    appendAfter: (version, added) => {
      const records = recordsOf(added);
      return enqueue(async () => {
        if (history.version() !== version) return false;
        return records.length === 0 || (await write(records, { version })) !== undefined;
      });
    },
    begin: (records) =>
      enqueue(async () => {
        if (history.version() > 0) return false;
        const messages = records.flatMap((record) => (record.type === "message" ? [record.message] : []));
        countMessagesTokens(messages.map(renderMessage), countTokens);
        return records.length === 0 || (await write(records, { version: 0 })) !== undefined;
      }),
  };
}

function rewrite({
  sessionId,
  replay: { history },
  enqueue,
  load,
  write,
}: LogContext): Pick<SessionLog, "commit" | "rewind"> {
  return {
    commit: (base, folded, event) => {
      const patch = diffLogs(base.messages, ownMessages(folded));
      if (patch === undefined) throw notAFold(sessionId);
      const { rewriteVersion } = base;
      const events: readonly LogRecord[] = event === undefined ? [] : [{ type: "event", event }];
      return enqueue(
        async () => (await write([{ type: "patch", patch }, ...events], { rewriteVersion })) !== undefined,
      );
    },
    rewind: async (find) => {
      await load();
      return enqueue(async () => {
        for (let tries = 0; tries < MAX_REWIND_TRIES; tries++) {
          const record = find(history);
          const version = await write([record], { rewriteVersion: history.rewriteVersion() });
          if (version !== undefined) return { record, version };
        }
        throw keptRewriting(sessionId);
      });
    },
  };
}

function recordEvents({
  replay,
  enqueue,
  load,
  write,
  unsaved,
}: LogContext): Pick<SessionLog, "record" | "recordAt" | "recordLater" | "flush" | "flushLater" | "events"> {
  const writeEvents = async (events: readonly LogRecord[]) => (events.length > 0 ? write(events) : undefined);
  const flushLater = () => enqueue(async () => void (await unsaved.saveLater(writeEvents)));
  let isScheduled = false;
  return {
    record: unsaved.add,
    recordAt: (version, event) =>
      enqueue(async () => {
        if (replay.history.version() !== version) return false;
        const written = await unsaved.saveLater((events) => write([...events, { type: "event", event }], { version }));
        return written !== undefined;
      }),
    recordLater: (event, blobs) => {
      unsaved.addLater(event, blobs);
      if (isScheduled) return;
      isScheduled = true;
      // In a turn of its own: messages that are appended at once take it along, which spares a write.
      setTimeout(() => {
        isScheduled = false;
        // What could not be kept is tried again with the next messages.
        flushLater().catch(() => undefined);
      });
    },
    flush: () => enqueue(async () => void (await unsaved.save(writeEvents))),
    flushLater,
    events: async () => {
      await load();
      return [...replay.events(), ...unsaved.list()];
    },
  };
}

function notAFold(sessionId: string): PalimpsestError {
  return new PalimpsestError(
    "invalid-argument",
    `Messages of the session ${JSON.stringify(sessionId)} would be lost, moved or replaced; folds only hide them.`,
  );
}

function keptRewriting(sessionId: string): PalimpsestError {
  return new PalimpsestError(
    "conflict",
    `Others kept rewriting the session ${JSON.stringify(sessionId)} while it was to be rewound. Try again.`,
  );
}
