import { isFoldPatch } from "../../core/history/log-patch.ts";
import { trackView, type ViewTracker } from "../../core/history/track-view.ts";
import { isStandIn, standInsOf, visiblePlaces } from "../../core/message/effective-view.ts";
import { logSegments } from "../../core/message/log-segments.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import { adoptMessage } from "../extensions/own-messages.ts";
import { createLogHistory, type LogHistory } from "./journal/log-history.ts";
import { isRewrite, type LogRecord } from "./journal/log-record.ts";
import { createLearnedReplay, type LearnedTokens } from "./learned-tokens.ts";
import { type FoldPlace, type LogState, visibleLogOf, type WholeLog, wholeLogOf } from "./log-state.ts";
import type { AppendedTokens } from "./read-ahead.ts";
import type { SessionEvent } from "./report.ts";
import { type ConversationGrowth, createConversationGrowth } from "./requests/conversation-growth.ts";
import { createRequestHistory, type RequestHistory } from "./requests/request-history.ts";
import type { SavedReplay } from "./saved-replay.ts";

/** What the records of a session make of its log, kept up to date while more of them come. */
export interface LogReplay {
  /** Takes in records that the journal keeps. Throws, now and from then on, where they make no log. */
  take(records: readonly LogRecord[]): void;
  /** Throws what is wrong with the records, where something is: then there is no log, and none is made up. */
  assertIntact(): void;
  /** Takes in the records that a saved state stood for. */
  fill(records: readonly LogRecord[]): void;
  /** Whether that is not needed, or was done. */
  isWhole(): boolean;
  /** What the log is now; the same object as long as the log is the same. */
  state(): LogState;
  /** The same; throws where it is not whole. */
  whole(): WholeLog;
  viewTokens(): number;
  visibleMessages(): number;
  /** How many messages the log has without what folds have put into it. */
  saidMessages(): number;
  /** The events among the records that are here. */
  events(): readonly SessionEvent[];
  /** Undefined where its records must be read again to tell it. */
  save(): SavedReplay | undefined;
  /** What was learned of a model's tokens. */
  learned(modelId: string): LearnedTokens | undefined;
  /** The same, from the next message on. */
  nextLearned(modelId: string): LearnedTokens | undefined;
  /** Whether tools were sent with a prompt that was reported; undefined where none was reported. */
  hasTools(): boolean | undefined;
  readonly history: LogHistory;
  readonly growth: ConversationGrowth;
  /** The requests that are kept. */
  readonly requests: RequestHistory;
}

export interface LogReplayOptions {
  readonly sessionId: string;
  readonly countTokens: CountTokens;
  /** Called when messages that were there before are shown differently. */
  readonly rewritten: () => void;
  /** Called when something else is known of a model's tokens. */
  readonly calibrated?: (() => void) | undefined;
  /** Called with each message that is appended, with its tokens and the view's, but not for many at once. @default nothing is called */
  readonly appended?: ((message: Message, tokens: AppendedTokens) => void) | undefined;
}

const MANY = 100;

/** Whether a record can only be taken in where the whole log is known: it may change, or lie behind, what is hidden. */
export function needsWholeLog(record: LogRecord): boolean {
  if (isRewrite(record)) return true;
  if (record.type !== "message") return false;
  return record.message.condenseParent !== undefined || record.message.truncationParent !== undefined;
}

/** @default saved it begins with the first record */
export function createLogReplay(options: LogReplayOptions, saved?: SavedReplay): LogReplay {
  const history = createLogHistory(options.sessionId, saved);
  const tracker = trackView((saved?.visible ?? []).map(adoptMessage), options.countTokens);
  const learnedReplay = createLearnedReplay(options.calibrated, saved?.learned);
  let events: SessionEvent[] = [];
  const requests = createRequestHistory(saved?.requests);
  const growth = createConversationGrowth(options.countTokens, saved?.growth);
  const { hiddenResults = [] } = saved ?? {};
  let wholeLog: WholeLog | undefined;
  let visibleLog: LogState | undefined;
  let { appendedMessages = 0, saidMessages = 0, lastFold } = saved ?? {};
  let damage: { readonly error: unknown } | undefined;

  const place = () => ({ rewriteVersion: history.rewriteVersion(), appendedMessages, lastFold });

  function forgetStates(): void {
    wholeLog = undefined;
    visibleLog = undefined;
  }

  function whole(): WholeLog {
    assertIntact();
    if (!history.isWhole()) throw new Error(`The log of ${options.sessionId} was not read yet.`);
    wholeLog ??= wholeLogOf(tracker, place());
    return wholeLog;
  }

  function state(): LogState {
    if (history.isWhole()) return whole();
    assertIntact();
    const version = history.version();
    const readMessages = () => (history.isWhole() ? Object.freeze(history.logAt(version)) : undefined);
    visibleLog ??= visibleLogOf(tracker, { ...place(), hiddenResults, readMessages });
    return visibleLog;
  }

  function assertIntact(): void {
    if (damage !== undefined) throw damage.error;
  }

  return {
    take: (records) => {
      if (records.length === 0) return;
      // An event changes no message: the log stays the same one.
      if (records.some(({ type }) => type !== "event")) forgetStates();
      try {
        const owned = records.map(adoptRecord);
        history.add(owned);
        for (const record of owned) {
          if (record.type === "event") events.push(record.event);
          learnedReplay.take(record);
        }
        growth.take(owned, history.version() - owned.length + 1);
        requests.take(owned);
        appendedMessages = appendedSince(appendedMessages, owned);
        lastFold = lastFoldAfter(lastFold, owned, history.version() - owned.length);
        track(owned, { history, tracker, options });
        const isRewritten = owned.some(isRewrite);
        saidMessages = isRewritten ? countSaid(tracker.log()) : saidMessages + owned.filter(saysSomething).length;
      } catch (error) {
        damage = { error };
        throw error;
      }
    },
    fill: (records) => {
      try {
        const owned = records.map(adoptRecord);
        history.fill(owned);
        events = [...owned.flatMap((record) => (record.type === "event" ? [record.event] : [])), ...events];
        tracker.replace(history.logAt(history.version()));
        forgetStates();
      } catch (error) {
        damage = { error };
        throw error;
      }
    },
    isWhole: history.isWhole,
    assertIntact,
    state,
    whole,
    visibleMessages: () => tracker.view().length,
    saidMessages: () => saidMessages,
    save: () => {
      const grown = growth.save();
      if (grown === undefined || damage !== undefined) return undefined;
      return {
        version: history.version(),
        ...place(),
        saidMessages,
        visible: visibleIn(tracker.log()),
        hiddenResults: [...state().hiddenResults()],
        learned: learnedReplay.save(),
        requests: requests.save(),
        growth: grown,
      };
    },
    viewTokens: tracker.tokens,
    events: () => events,
    learned: learnedReplay.learned,
    nextLearned: learnedReplay.nextLearned,
    hasTools: learnedReplay.hasTools,
    history,
    growth,
    requests,
  };
}

function saysSomething(record: LogRecord): boolean {
  return record.type === "message" && !isStandIn(record.message);
}

function countSaid(messages: readonly Message[]): number {
  const standIns = logSegments(messages).reduce((count, segment) => count + standInsOf(segment).length, 0);
  return messages.length - standIns;
}

function visibleIn(messages: readonly Message[]): readonly Message[] {
  return visiblePlaces(messages).flatMap((place) => messages[place] ?? []);
}

/** How many messages came since the last rewrite. */
function appendedSince(before: number, records: readonly LogRecord[]): number {
  const rewrite = records.findLastIndex(isRewrite);
  const added = records.slice(rewrite + 1).filter(({ type }) => type === "message").length;
  return rewrite < 0 ? before + added : added;
}

/** The newest fold once more records came, of which the first has the version after `before`. */
function lastFoldAfter(
  known: FoldPlace | undefined,
  records: readonly LogRecord[],
  before: number,
): FoldPlace | undefined {
  let last = known;
  for (const [index, record] of records.entries()) {
    if (record.type === "rewind") last = undefined;
    else if (isFold(record)) last = { version: before + index + 1, appendedMessages: 0 };
    else if (record.type === "message" && last !== undefined) {
      last = { version: last.version, appendedMessages: last.appendedMessages + 1 };
    }
  }
  return last;
}

function isFold(record: LogRecord): boolean {
  return record.type === "patch" ? isFoldPatch(record.patch) : isRewrite(record);
}

interface Tracked {
  readonly history: LogHistory;
  readonly tracker: ViewTracker;
  readonly options: LogReplayOptions;
}

/** Brings the view up to date with records that are in the history. */
function track(records: readonly LogRecord[], { history, tracker, options }: Tracked): void {
  const isRewritten = records.some(isRewrite);
  // Many at once are taken as one, so that only what is visible in the end is counted.
  if (isRewritten || records.length > MANY) tracker.replace(replay(tracker.log(), records, history));
  else for (const record of records) if (record.type === "message") trackMessage(record.message, tracker, options);
  if (isRewritten) options.rewritten();
}

function trackMessage(message: Message, tracker: ViewTracker, { appended }: LogReplayOptions): void {
  const before = tracker.tokens();
  tracker.append(message);
  const view = tracker.tokens();
  appended?.(message, { message: view - before, view });
}

function replay(log: readonly Message[], records: readonly LogRecord[], history: LogHistory): readonly Message[] {
  let messages = [...log];
  for (const record of records) {
    if (record.type === "message") messages.push(record.message);
    if (record.type === "rewind") messages = history.logAt(record.toVersion);
    if (record.type === "patch") messages = history.patched(messages, record.patch) ?? history.logAt(history.version());
  }
  return messages;
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
