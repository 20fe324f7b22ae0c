import { PalimpsestError } from "../../core/errors.ts";
import { applyPatch, diffLogs } from "../../core/history/log-patch.ts";
import { trackView } from "../../core/history/track-view.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { ownMessages } from "../plugins/own-messages.ts";
import type { Journal, WriteOptions } from "./journal/journal.ts";
import { createLogHistory, type LogHistory } from "./journal/log-history.ts";
import { isRewrite, type LogRecord } from "./journal/log-record.ts";
import { createQueue } from "./queue.ts";
import type { SessionEvent } from "./report.ts";

/** A session's log, which grows at any time and is rewritten only as a whole. Every change is kept in the journal first. */
export interface SessionLog {
  /** All of them or, where one cannot be counted or kept, none. */
  append(messages: readonly Message[]): Promise<void>;
  /** Takes its first records; false, and nothing is done, where it has some already. */
  begin(records: readonly LogRecord[]): Promise<boolean>;
  /** As it is now; later appends do not change the array. */
  messages(): readonly Message[];
  /** As it is now; later appends do not change the array. */
  view(): readonly Message[];
  viewTokens(): number;
  /**
   * Takes a folded form of what the log was at `base`, with all that was appended since. False when the log has been
   * rewritten meanwhile: then nothing changes.
   */
  commit(base: LogState, folded: readonly Message[]): Promise<boolean>;
  /** Makes the log what it was at a version that `find` gives; asked again where others rewrote the log meanwhile. */
  rewind(find: (history: LogHistory) => RewindRecord): Promise<RewindRecord>;
  /** What the log is now; later appends do not change it. */
  state(): LogState;
  /** Notes what happened; kept with the next `flush`. */
  record(event: SessionEvent): void;
  flush(): Promise<void>;
  events(): readonly SessionEvent[];
  history(): LogHistory;
  /** Takes in what others have written. */
  refresh(): Promise<void>;
}

export type RewindRecord = Extract<LogRecord, { readonly type: "rewind" }>;

export interface LogState {
  readonly messages: readonly Message[];
  /** The newest record that rewrote it. */
  readonly rewriteVersion: number;
}

export interface SessionLogOptions {
  readonly sessionId: string;
  readonly journal: Journal;
  readonly countTokens: CountTokens;
  /** Told when messages that were there before are shown differently. */
  readonly rewritten: () => void;
  /** Told of each message that is appended, but not of many at once. @default nobody is */
  readonly appended?: (message: Message) => void;
}

const MANY = 100;
/** Others may rewrite a log again and again; after so many times in a row someone is told. */
const MAX_REWIND_TRIES = 5;

/** Opens the log that a journal keeps. */
export async function openSessionLog(options: SessionLogOptions): Promise<SessionLog> {
  const { sessionId, journal, countTokens, rewritten, appended } = options;
  const history = createLogHistory(sessionId);
  const tracker = trackView([], countTokens);
  const events: SessionEvent[] = [];
  let unsaved: SessionEvent[] = [];
  /** Copies of the tracker's arrays, until they change: other people's code is shown them. */
  let copies: { readonly log: readonly Message[]; readonly view: readonly Message[] } | undefined;
  const inTurn = createQueue();
  /** What is wrong with the records: then there is no log, and none is made up. */
  let damage: { readonly error: unknown } | undefined;

  function current() {
    if (damage !== undefined) throw damage.error;
    copies ??= { log: Object.freeze([...tracker.log()]), view: Object.freeze([...tracker.view()]) };
    return copies;
  }

  function take(news: readonly LogRecord[]): void {
    if (news.length === 0) return;
    // What happened is told; the log stays the same one.
    if (news.some(({ type }) => type !== "event")) copies = undefined;
    try {
      const owned = news.map(ownRecord);
      history.add(owned);
      for (const record of owned) if (record.type === "event") events.push(record.event);
      const isRewritten = owned.some(isRewrite);
      // Many at once are taken as one, so that only what is visible in the end is counted.
      if (isRewritten || owned.length > MANY) tracker.replace(ownMessages(replay(tracker.log(), owned)));
      else for (const record of owned) if (record.type === "message") follow(record.message);
      if (isRewritten) rewritten();
    } catch (error) {
      damage = { error };
      throw error;
    }
  }

  function follow(message: Message): void {
    tracker.append(message);
    appended?.(message);
  }

  function replay(log: readonly Message[], records: readonly LogRecord[]): readonly Message[] {
    let messages = [...log];
    for (const record of records) {
      if (record.type === "message") messages.push(record.message);
      if (record.type === "rewind") messages = [...history.logAt(record.toVersion)];
      if (record.type === "patch")
        messages = [...(applyPatch(messages, record.patch) ?? history.logAt(history.version()))];
    }
    return messages;
  }

  /** True where the records are kept; false where the log is no longer what is demanded. */
  async function write(records: readonly LogRecord[], demanded: WriteOptions = {}): Promise<boolean> {
    if (damage !== undefined) throw damage.error;
    const { rewriteVersion = history.rewriteVersion() } = demanded;
    if (history.rewriteVersion() !== rewriteVersion) return false;
    const { type, news } = await journal.write(records, demanded);
    take(news);
    return type === "written";
  }

  const refresh = () => inTurn(async () => take(await journal.catchUp()));
  await refresh();
  return {
    append: (added) => {
      const own = ownMessages(added);
      countMessagesTokens(own.map(renderMessage), countTokens);
      const records = own.map((message): LogRecord => ({ type: "message", message }));
      return inTurn(async () => {
        if (records.length > 0) await write(records);
      });
    },
    begin: (records) =>
      inTurn(async () => {
        if (history.version() > 0) return false;
        countMessagesTokens(
          records.flatMap((record) => (record.type === "message" ? [renderMessage(record.message)] : [])),
          countTokens,
        );
        return records.length === 0 || write(records, { version: 0 });
      }),
    messages: () => current().log,
    view: () => current().view,
    viewTokens: () => tracker.tokens(),
    state: () => ({ messages: current().log, rewriteVersion: history.rewriteVersion() }),
    commit: (base, folded) => {
      const patch = diffLogs(base.messages, ownMessages(folded));
      if (patch === undefined) throw notAFold(sessionId);
      return inTurn(() => write([{ type: "patch", patch }], { rewriteVersion: base.rewriteVersion }));
    },
    rewind: (find) =>
      inTurn(async () => {
        for (let tries = 0; tries < MAX_REWIND_TRIES; tries++) {
          const record = find(history);
          if (await write([record], { rewriteVersion: history.rewriteVersion() })) return record;
        }
        throw new PalimpsestError(
          "conflict",
          `Others kept rewriting the session ${JSON.stringify(sessionId)} while it was to be rewound. Try again.`,
        );
      }),
    record: (event) => unsaved.push(event),
    flush: () =>
      inTurn(async () => {
        const saving = unsaved;
        if (saving.length === 0) return;
        unsaved = [];
        try {
          await write(saving.map((event) => ({ type: "event", event })));
        } catch (error) {
          unsaved = [...saving, ...unsaved];
          throw error;
        }
      }),
    events: () => [...events, ...unsaved],
    history: () => history,
    refresh,
  };
}

function ownRecord(record: LogRecord): LogRecord {
  if (record.type !== "message") return record;
  const [message = record.message] = ownMessages([record.message]);
  return { ...record, message };
}

function notAFold(sessionId: string): PalimpsestError {
  return new PalimpsestError(
    "invalid-argument",
    `Messages of the session ${JSON.stringify(sessionId)} would be lost, moved or replaced; folds only hide them.`,
  );
}
