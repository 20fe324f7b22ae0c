import { isStandIn } from "../../../core/message/effective-view.ts";
import type { CountTokens, Message } from "../../../core/message/message.ts";
import type { RequestRecord } from "../../../core/statement/request-record.ts";
import type { Steps } from "../../../core/steps.ts";
import { countMessagesTokens, countMessageTokens } from "../../../core/tokens/count-messages.ts";
import type { LogRecord } from "../journal/log-record.ts";
import type { LogState } from "../log-state.ts";

/** The size of a conversation without any fold, and of its messages since the last request. In our tokens. */
export interface ConversationSize {
  readonly arrivedTokens: number;
  /** Counted when it is asked for. */
  saidTokens(): number;
}

/** Follows how a conversation grows from request to request. Tokens are counted by `sizeAt`, and only those of messages since the last request. */
export interface ConversationGrowth {
  /** Adds records, the first of which has this version. */
  take(records: readonly LogRecord[], firstVersion: number): void;
  /** Called with a request that was sent, which may not be written yet. */
  sent(request: RequestRecord): void;
  /** The size at a version; `state` is the log's state at that version. */
  sizeAt(version: number, state: LogState): ConversationSize;
  /** Counts the messages since the last request in steps, where they are many. */
  lookAhead(): Steps<void>;
  /** The messages since the last request, up to a version. */
  arrivedAt(version: number): readonly Message[];
  /** The version of the newest message or rewind. */
  saidVersion(): number;
  /** The state to save; undefined where the size can only be found by counting all messages. */
  save(): SavedGrowth | undefined;
}

/** The state of a `ConversationGrowth`, as JSON can hold it. */
export interface SavedGrowth {
  /** The messages since the last request. */
  readonly arrivals: readonly Arrival[];
  /** The size at the last request. */
  readonly base: number;
  /** The version of the newest rewind or update. */
  readonly changedVersion: number;
  readonly saidVersion: number;
}

interface Arrival {
  readonly version: number;
  readonly message: Message;
}

/** How many messages are counted in one step: less than a millisecond of work. */
const STEP_MESSAGES = 1_024;
const NONE_COUNTED = { messages: 0, tokens: 0 };

/** @default saved an empty conversation */
export function createConversationGrowth(countTokens: CountTokens, saved?: SavedGrowth): ConversationGrowth {
  let arrivals: Arrival[] = [...(saved?.arrivals ?? [])];
  /** How many of the arrivals are counted, from the first on, and their tokens. */
  let counted = NONE_COUNTED;
  /** The size at the last request; undefined where it is not known. */
  let base = saved?.base;
  let changedVersion = saved?.changedVersion ?? 0;
  let saidVersion = saved?.saidVersion ?? 0;

  function takeOne(record: LogRecord, version: number): void {
    if (record.type === "message" && !isStandIn(record.message)) {
      arrivals.push({ version, message: record.message });
      saidVersion = version;
    }
    if (record.type === "rewind") saidVersion = version;
    if (record.type === "rewind" || (record.type === "event" && record.event.type === "updated")) {
      base = undefined;
      changedVersion = version;
    }
    if (record.type === "event" && record.event.type === "request") sent(record.event);
  }

  function sent({ version, promptTokens, overheadTokens, hiddenTokens, tokenRatio }: RequestRecord): void {
    arrivals = arrivals.filter((arrival) => arrival.version > version);
    counted = NONE_COUNTED;
    const isKnown = changedVersion <= version && tokenRatio > 0;
    base = isKnown ? Math.max(0, promptTokens - overheadTokens + hiddenTokens) / tokenRatio : undefined;
  }

  function countArrivals(end: number): number {
    const { messages: start, tokens: before } = counted.messages <= end ? counted : NONE_COUNTED;
    const added = arrivals.slice(start, end);
    const tokens = added.reduce((sum, { message }) => sum + countMessageTokens(message, countTokens), before);
    counted = { messages: end, tokens };
    return tokens;
  }

  const arrivedAt = (version: number) =>
    arrivals.filter((arrival) => arrival.version <= version).map(({ message }) => message);

  return {
    take: (records, firstVersion) => {
      for (const [index, record] of records.entries()) takeOne(record, firstVersion + index);
    },
    arrivedAt,
    sizeAt: (version, state) => {
      const later = arrivals.findIndex((arrival) => arrival.version > version);
      const arrivedTokens = countArrivals(later < 0 ? arrivals.length : later);
      // All messages, hidden or not: counted only where the size is not known after a rewind, an update, or before any request.
      const said = () => (state.messages ?? state.view).filter((message) => !isStandIn(message));
      const known = base;
      return {
        arrivedTokens,
        saidTokens: () => (known === undefined ? countMessagesTokens(said(), countTokens) : known + arrivedTokens),
      };
    },
    *lookAhead() {
      while (arrivals.length - counted.messages > STEP_MESSAGES) {
        countArrivals(counted.messages + STEP_MESSAGES);
        yield;
      }
    },
    sent,
    saidVersion: () => saidVersion,
    save: () => (base === undefined ? undefined : { arrivals, base, changedVersion, saidVersion }),
  };
}
