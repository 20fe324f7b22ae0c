import { trackView, type ViewTracker } from "../../core/history/track-view.ts";
import { isStandIn, standInsOf, visiblePlaces } from "../../core/message/effective-view.ts";
import { logSegments } from "../../core/message/log-segments.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import { adoptMessage } from "../extensions/own-messages.ts";
import { createLogHistory, type LogHistory, logAfter } from "./journal/log-history.ts";
import { isRewrite, type LogRecord } from "./journal/log-record.ts";
import { createLearnedReplay, type LearnedTokens } from "./learned-tokens.ts";
import type { LogOutline } from "./log-outline.ts";
import { type LogPlace, placeAfter } from "./log-place.ts";
import { createLogStates, type LogState, type WholeLog } from "./log-state.ts";
import type { AppendedTokens } from "./read-ahead.ts";
import { isLasting, type SessionEvent } from "./report.ts";
import { type ConversationGrowth, createConversationGrowth } from "./requests/conversation-growth.ts";
import { createRequestHistory, type RequestHistory } from "./requests/request-history.ts";
import type { SavedReplay } from "./saved-replay.ts";

/** A session's log as its records make it, kept up to date while more records come. */
export interface LogReplay {
  /** Adds records that the journal keeps. Throws where they make no log; from then on, every read of the log throws the same error. */
  take(records: readonly LogRecord[]): void;
  /** Throws the error of a `take` or `fill` that failed. */
  assertIntact(): void;
  /** Adds the records that the saved state stood for, in front of those that are here. */
  fill(records: readonly LogRecord[]): void;
  /** Whether all records are here: there was no saved state, or `fill` has added its records. */
  isWhole(): boolean;
  /** The log as it is now; the same object as long as the log is the same. */
  state(): LogState;
  /** The log as it is now, with all its messages. Throws where it is not whole. */
  whole(): WholeLog;
  viewTokens(): number;
  visibleMessages(): number;
  /** The number of messages in the log, without the stand-ins of folds. */
  saidMessages(): number;
  /** The events among the records that are here and, from the saved state, the lasting ones of the records before them. */
  events(): readonly SessionEvent[];
  /** The outline of a log that is not whole; undefined for a whole one, and where the saved state has none. The same object as long as the log is the same. */
  outline(): LogOutline | undefined;
  /** The state to save; undefined where it cannot be made without reading all records. */
  save(): SavedReplay | undefined;
  /** What the records teach about how a model counts tokens. */
  learned(modelId: string): LearnedTokens | undefined;
  /** What they teach from the next message on; undefined where that is what holds already. */
  nextLearned(modelId: string): LearnedTokens | undefined;
  /** Whether a prompt with a reported size had tools; undefined where no size was reported. */
  hasTools(): boolean | undefined;
  readonly history: LogHistory;
  readonly growth: ConversationGrowth;
  /** The requests among the records. */
  readonly requests: RequestHistory;
}

export interface LogReplayOptions {
  readonly sessionId: string;
  readonly countTokens: CountTokens;
  /** Called when messages that were there before are shown differently. */
  readonly onRewrite: () => void;
  /** Called when what the records teach about a model's tokens has changed. */
  readonly onCalibration?: (() => void) | undefined;
  /** Called for each message that is appended, with its tokens and the view's. Not called for a batch of many records. @default nothing is called */
  readonly onAppend?: OnAppend | undefined;
}

/** Whether a record can only be added to a whole log: it changes hidden messages, or is hidden itself. */
export function needsWholeLog(record: LogRecord): boolean {
  if (isRewrite(record)) return true;
  if (record.type !== "message") return false;
  return record.message.condenseParent !== undefined || record.message.truncationParent !== undefined;
}

/** @default saved the replay begins with the first record */
export function createLogReplay(options: LogReplayOptions, saved?: SavedReplay): LogReplay {
  const history = createLogHistory(options.sessionId, saved);
  const tracker = trackView((saved?.visible ?? []).map(adoptMessage), options.countTokens);
  const learnedReplay = createLearnedReplay(options.onCalibration, saved?.learned);
  let events: SessionEvent[] = [];
  const requests = createRequestHistory(saved?.requests);
  const growth = createConversationGrowth(options.countTokens, saved?.growth);
  let { saidMessages = 0 } = saved ?? {};
  let place: LogPlace = { appendedMessages: saved?.appendedMessages ?? 0, lastFold: saved?.lastFold };
  let damage: { readonly error: unknown } | undefined;

  const statePlace = () => ({ rewriteVersion: history.rewriteVersion(), ...place });
  const states = createLogStates({ sessionId: options.sessionId, history, tracker, place: statePlace, saved });

  function state(): LogState {
    assertIntact();
    return states.state();
  }

  function eventsHere(): readonly SessionEvent[] {
    return history.isWhole() ? events : [...(saved?.lastingEvents ?? []), ...events];
  }

  function assertIntact(): void {
    if (damage !== undefined) throw damage.error;
  }

  /** Remembers and throws on what goes wrong with records: half of them may have been added by then. */
  function orDamaged(add: () => void): void {
    try {
      add();
    } catch (error) {
      damage = { error };
      throw error;
    }
  }

  return {
    take: (records) => {
      if (records.length === 0) return;
      // An event changes no message: the log stays the same one.
      if (records.some(({ type }) => type !== "event")) states.forget();
      orDamaged(() => {
        const owned = records.map(adoptRecord);
        const before = history.version();
        history.add(owned);
        for (const record of owned) {
          if (record.type === "event") events.push(record.event);
          learnedReplay.take(record);
        }
        growth.take(owned, before + 1);
        requests.take(owned);
        place = placeAfter(place, owned, before);
        trackRecords(owned, { history, tracker, onAppend: options.onAppend });
        const isRewritten = owned.some(isRewrite);
        if (isRewritten) options.onRewrite();
        saidMessages = isRewritten ? countSaid(tracker.log()) : saidMessages + owned.filter(saysSomething).length;
      });
    },
    fill: (records) => {
      orDamaged(() => {
        const owned = records.map(adoptRecord);
        history.fill(owned);
        events = [...owned.flatMap((record) => (record.type === "event" ? [record.event] : [])), ...events];
        tracker.replace(history.logAt(history.version()));
        states.forget();
      });
    },
    isWhole: history.isWhole,
    assertIntact,
    state,
    whole: () => {
      assertIntact();
      return states.whole();
    },
    visibleMessages: () => tracker.view().length,
    saidMessages: () => saidMessages,
    outline: () => {
      assertIntact();
      return states.outline();
    },
    save: () => {
      const grown = growth.save();
      if (grown === undefined || damage !== undefined) return undefined;
      return {
        version: history.version(),
        ...statePlace(),
        saidMessages,
        visible: visibleIn(tracker.log()),
        hiddenResults: [...state().hiddenResults()],
        learned: learnedReplay.save(),
        requests: requests.save(),
        growth: grown,
        lastingEvents: eventsHere().filter(({ type }) => isLasting(type)),
        outline: states.outlineToSave(),
      };
    },
    viewTokens: tracker.tokens,
    events: eventsHere,
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

/** The record with its messages frozen as ours. Messages that a patch changes become ours in the history, which makes them. */
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

/** Called for a message that was appended, with its tokens and the view's. */
export type OnAppend = (message: Message, tokens: AppendedTokens) => void;

interface Tracked {
  readonly history: LogHistory;
  readonly tracker: ViewTracker;
  readonly onAppend: OnAppend | undefined;
}

/** Larger batches of records are tracked as one rewrite, so that only what is visible at the end is counted. */
const LARGE_BATCH = 100;

/** Brings the tracked view up to date with records that are in the history already. */
function trackRecords(records: readonly LogRecord[], { history, tracker, onAppend }: Tracked): void {
  if (records.some(isRewrite) || records.length > LARGE_BATCH) {
    tracker.replace(records.reduce((log, record) => logAfter(log, record, history), [...tracker.log()]));
    return;
  }
  for (const record of records) {
    if (record.type !== "message") continue;
    const before = tracker.tokens();
    tracker.append(record.message);
    const view = tracker.tokens();
    onAppend?.(record.message, { message: view - before, view });
  }
}
