import { PalimpsestError } from "../../core/errors.ts";
import { diffLogs } from "../../core/history/log-patch.ts";
import { trackView, type ViewTracker } from "../../core/history/track-view.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { adoptMessage, ownMessages } from "../plugins/own-messages.ts";
import { frozenCopy } from "./frozen-copy.ts";
import type { Journal, WriteOptions } from "./journal/journal.ts";
import { createLogHistory, type LogHistory } from "./journal/log-history.ts";
import { isRewrite, type LogRecord } from "./journal/log-record.ts";
import { createQueue } from "./queue.ts";
import type { AppendedTokens } from "./read-ahead.ts";
import type { SessionEvent } from "./report.ts";

/** A session's log, which grows at any time and is rewritten only as a whole. Every change is kept in the journal first. */
export interface SessionLog {
  /** All of them or, where one cannot be counted or kept, none. */
  append(messages: readonly Message[]): Promise<void>;
  /** The same, but only where nothing was written since that version; false, and nothing is done, where something was. */
  appendAfter(version: number, messages: readonly Message[]): Promise<boolean>;
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
  rewind(find: (history: LogHistory) => RewindRecord): Promise<WrittenRewind>;
  /** What the log is now; later appends do not change it. The same object as long as the log is the same. */
  state(): LogState;
  /** Notes what happened; kept with the next `flush`. */
  record(event: SessionEvent): void;
  flush(): Promise<void>;
  events(): readonly SessionEvent[];
  /** A model's tokens for one of ours, as someone calibrated it. */
  tokenRatio(modelId: string): number | undefined;
  /** One that holds from the next message on. */
  nextTokenRatio(modelId: string): number | undefined;
  history(): LogHistory;
  /** Takes in what others have written. */
  refresh(): Promise<void>;
}

export type RewindRecord = Extract<LogRecord, { readonly type: "rewind" }>;

export interface WrittenRewind {
  readonly record: RewindRecord;
  /** Of the record; others may have written more right behind it. */
  readonly version: number;
}

export interface LogState {
  /** Copied when someone looks: what nobody reads costs nothing, however long the log is. */
  readonly messages: readonly Message[];
  readonly view: readonly Message[];
  /** The newest record that rewrote it. */
  readonly rewriteVersion: number;
}

export interface SessionLogOptions {
  readonly sessionId: string;
  readonly journal: Journal;
  readonly countTokens: CountTokens;
  /** Told when messages that were there before are shown differently. */
  readonly rewritten: () => void;
  /** Told when someone calibrated a model. */
  readonly calibrated?: () => void;
  /** Told of each message that is appended, with its tokens and the view's, but not of many at once. @default nobody is */
  readonly appended?: (message: Message, tokens: AppendedTokens) => void;
}

const MANY = 100;
/** Others may rewrite a log again and again; after so many times in a row someone is told. */
const MAX_REWIND_TRIES = 5;

/** Opens the log that a journal keeps. */
export async function openSessionLog(options: SessionLogOptions): Promise<SessionLog> {
  const { sessionId, journal, countTokens, rewritten, calibrated, appended } = options;
  const history = createLogHistory(sessionId);
  const tracker = trackView([], countTokens);
  const events: SessionEvent[] = [];
  const tokenRatios = new Map<string, number>();
  const nextTokenRatios = new Map<string, number>();
  let unsaved: SessionEvent[] = [];
  /** What other people's code is shown, until the log changes. */
  let state: LogState | undefined;
  const inTurn = createQueue();
  /** What is wrong with the records: then there is no log, and none is made up. */
  let damage: { readonly error: unknown } | undefined;

  function current(): LogState {
    if (damage !== undefined) throw damage.error;
    state ??= stateOf(tracker, history.rewriteVersion());
    return state;
  }

  function take(news: readonly LogRecord[]): void {
    if (news.length === 0) return;
    // What happened is told; the log stays the same one.
    if (news.some(({ type }) => type !== "event")) state = undefined;
    try {
      const owned = news.map(adoptRecord);
      history.add(owned);
      for (const record of owned) {
        if (record.type === "event") hear(record.event);
        if (record.type === "message") startCalibrations();
      }
      const isRewritten = owned.some(isRewrite);
      // Many at once are taken as one, so that only what is visible in the end is counted.
      if (isRewritten || owned.length > MANY) tracker.replace(replay(tracker.log(), owned));
      else for (const record of owned) if (record.type === "message") follow(record.message);
      if (isRewritten) rewritten();
    } catch (error) {
      damage = { error };
      throw error;
    }
  }

  function hear(event: SessionEvent): void {
    events.push(event);
    if (event.type !== "calibrated") return;
    nextTokenRatios.set(event.modelId, event.tokenRatio);
    if (event.from !== "next-message") startCalibrations();
  }

  function startCalibrations(): void {
    if (nextTokenRatios.size === 0) return;
    for (const [modelId, tokenRatio] of nextTokenRatios) tokenRatios.set(modelId, tokenRatio);
    nextTokenRatios.clear();
    calibrated?.();
  }

  function follow(message: Message): void {
    const before = tracker.tokens();
    tracker.append(message);
    const view = tracker.tokens();
    appended?.(message, { message: view - before, view });
  }

  function replay(log: readonly Message[], records: readonly LogRecord[]): readonly Message[] {
    let messages = [...log];
    for (const record of records) {
      if (record.type === "message") messages.push(record.message);
      if (record.type === "rewind") messages = history.logAt(record.toVersion);
      if (record.type === "patch")
        messages = history.patched(messages, record.patch) ?? history.logAt(history.version());
    }
    return messages;
  }

  /** The version of the last record where they are kept; undefined where the log is no longer what is demanded. */
  async function write(records: readonly LogRecord[], demanded: WriteOptions = {}): Promise<number | undefined> {
    if (damage !== undefined) throw damage.error;
    const { rewriteVersion = history.rewriteVersion() } = demanded;
    if (history.rewriteVersion() !== rewriteVersion) return undefined;
    const outcome = await journal.write(records, demanded);
    take(outcome.news);
    return outcome.type === "written" ? outcome.version : undefined;
  }

  function recordsOf(added: readonly Message[]): readonly LogRecord[] {
    const own = ownMessages(added);
    countMessagesTokens(own.map(renderMessage), countTokens);
    return own.map((message) => ({ type: "message", message }));
  }

  const refresh = () => inTurn(async () => take(await journal.catchUp()));
  await refresh();
  return {
    append: (added) => {
      const records = recordsOf(added);
      return inTurn(async () => {
        if (records.length > 0) await write(records);
      });
    },
    appendAfter: (version, added) => {
      const records = recordsOf(added);
      return inTurn(async () => {
        if (history.version() !== version) return false;
        return records.length === 0 || (await write(records, { version })) !== undefined;
      });
    },
    begin: (records) =>
      inTurn(async () => {
        if (history.version() > 0) return false;
        countMessagesTokens(
          records.flatMap((record) => (record.type === "message" ? [renderMessage(record.message)] : [])),
          countTokens,
        );
        return records.length === 0 || (await write(records, { version: 0 })) !== undefined;
      }),
    messages: () => current().messages,
    view: () => current().view,
    viewTokens: () => tracker.tokens(),
    state: current,
    commit: (base, folded) => {
      const patch = diffLogs(base.messages, ownMessages(folded));
      if (patch === undefined) throw notAFold(sessionId);
      const { rewriteVersion } = base;
      return inTurn(async () => (await write([{ type: "patch", patch }], { rewriteVersion })) !== undefined);
    },
    rewind: (find) =>
      inTurn(async () => {
        for (let tries = 0; tries < MAX_REWIND_TRIES; tries++) {
          const record = find(history);
          const version = await write([record], { rewriteVersion: history.rewriteVersion() });
          if (version !== undefined) return { record, version };
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
    tokenRatio: (modelId) => tokenRatios.get(modelId),
    nextTokenRatio: (modelId) => nextTokenRatios.get(modelId),
    history: () => history,
    refresh,
  };
}

function stateOf(tracker: ViewTracker, rewriteVersion: number): LogState {
  const [messages, view] = [frozenCopy(tracker.log()), frozenCopy(tracker.view())];
  return {
    rewriteVersion,
    get messages() {
      return messages();
    },
    get view() {
      return view();
    },
  };
}

/** Every message that a log is made of is ours: those that come, and those that a patch brings or, by the history, changes. */
function adoptRecord(record: LogRecord): LogRecord {
  switch (record.type) {
    case "message":
      adoptMessage(record.message);
      return record;
    case "patch":
      for (const { message } of record.patch.inserted) adoptMessage(message);
      return record;
    case "rewind":
    case "event":
      return record;
  }
}

function notAFold(sessionId: string): PalimpsestError {
  return new PalimpsestError(
    "invalid-argument",
    `Messages of the session ${JSON.stringify(sessionId)} would be lost, moved or replaced; folds only hide them.`,
  );
}
