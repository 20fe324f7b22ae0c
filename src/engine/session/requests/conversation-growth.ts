import { isStandIn } from "../../../core/message/effective-view.ts";
import type { CountTokens, Message } from "../../../core/message/message.ts";
import type { RequestRecord } from "../../../core/statement/request-record.ts";
import { countMessageTokens } from "../../../core/tokens/count-messages.ts";
import type { LogRecord } from "../journal/log-record.ts";
import type { LogState } from "../log-state.ts";

/** What was said in a conversation before any fold, and what of it came since the last request. In our tokens. */
export interface ConversationSize {
  readonly arrivedTokens: number;
  readonly saidTokens: number;
}

/** Follows how a conversation grows from request to request. Counts when it is asked, and only what came since the last request. */
export interface ConversationGrowth {
  /** Takes in records, the first of which has this version. */
  take(records: readonly LogRecord[], firstVersion: number): void;
  /** A request was sent, whether or not its record is kept yet. */
  sent(request: RequestRecord): void;
  /** The conversation as it was at a version, which the state is of. */
  sizeAt(version: number, state: LogState): ConversationSize;
  /** The messages that came since the last request, up to a version. */
  arrivedAt(version: number): readonly Message[];
  /** The version of the newest record that said something, or took something back by a rewind. */
  saidVersion(): number;
  /** Undefined where what was said is not known without counting all of it. */
  save(): SavedGrowth | undefined;
}

/** All that is known of a growing conversation, as JSON can hold it. */
export interface SavedGrowth {
  readonly arrivals: readonly Arrival[];
  readonly base: number;
  readonly changedVersion: number;
  readonly saidVersion: number;
}

interface Arrival {
  readonly version: number;
  readonly message: Message;
}

/** @default saved it begins now */
export function createConversationGrowth(countTokens: CountTokens, saved?: SavedGrowth): ConversationGrowth {
  let arrivals: Arrival[] = [...(saved?.arrivals ?? [])];
  /** At the last request; undefined where nobody knows it. */
  let base = saved?.base;
  /** The newest record after which what was said is no longer what it was. */
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
    const isKnown = changedVersion <= version && tokenRatio > 0;
    base = isKnown ? Math.max(0, promptTokens - overheadTokens + hiddenTokens) / tokenRatio : undefined;
  }

  const tokensOf = (messages: readonly Message[]) =>
    messages.reduce((sum, message) => sum + countMessageTokens(message, countTokens), 0);

  const arrivedAt = (version: number) =>
    arrivals.filter((arrival) => arrival.version <= version).map(({ message }) => message);

  return {
    take: (records, firstVersion) => {
      for (const [index, record] of records.entries()) takeOne(record, firstVersion + index);
    },
    arrivedAt,
    sizeAt: (version, state) => {
      const arrivedTokens = tokensOf(arrivedAt(version));
      // Only where it was rewound, changed, or never measured: then all of it is counted, hidden or not.
      const said = () => (state.messages ?? state.view).filter((message) => !isStandIn(message));
      return { arrivedTokens, saidTokens: base === undefined ? tokensOf(said()) : base + arrivedTokens };
    },
    sent,
    saidVersion: () => saidVersion,
    save: () => (base === undefined ? undefined : { arrivals, base, changedVersion, saidVersion }),
  };
}
