import { readGrowth } from "../../adapters/splice/read-once.ts";
import { countFolds } from "../../core/history/list-folds.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import { isPartOfFold, isShortened, isWrittenAnew } from "../../core/message/folded-messages.ts";
import type { Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { hashKeys, type LogOutline, type SaidStretch } from "../../engine/session/log-outline.ts";
import type { OutlinedSession, SessionSnapshot } from "../../engine/session/session-snapshot.ts";

/** The messages of a conversation, with one fingerprint for each. */
export interface FingerprintedMessages {
  readonly messages: readonly Message[];
  readonly fingerprints: readonly string[];
}

/** A session's snapshot, with its whole log or only with the outline of it. */
export type KnownSession = SessionSnapshot | OutlinedSession;

/** The messages of a session's log without stand-ins, from some message on. */
export interface SaidMessages {
  readonly count: number;
  /** Undefined beyond the last message, and for a hidden message that was not read from the store. */
  at(index: number): Message | undefined;
  fingerprintAt(index: number): string | undefined;
  /** Our count of the tokens of all these messages. */
  tokens(): number;
}

/** What the gateway computes from a log, to compare requests with it. */
export interface LogFacts {
  /** The log's messages without stand-ins, as an agent sends them. */
  readonly said: FingerprintedMessages;
  readonly isFolded: boolean;
  /** Whether a body must be written to show this log's folds. A request where only the provider's own compaction hides messages is sent unchanged. */
  readonly isWritten: boolean;
  readonly foldCount: number;
}

const NO_FACTS: LogFacts = {
  said: { messages: [], fingerprints: [] },
  isFolded: false,
  isWritten: false,
  foldCount: 0,
};

/** The facts of a log. Of a log that has only grown since the last call, only the new messages are read. */
export const factsOf = readGrowth(NO_FACTS, (known, added: readonly Message[], log): LogFacts => {
  const newlySaid = withoutStandIns(added);
  const { messages, fingerprints } = known.said;
  return {
    said: {
      messages: [...messages, ...newlySaid],
      fingerprints: [...fingerprints, ...newlySaid.map(({ keys }) => keys?.[0] ?? "")],
    },
    isFolded: known.isFolded || added.some((message) => isStandIn(message) || isShortened(message)),
    isWritten: known.isWritten || added.some(isWrittenAnew),
    foldCount: added.some(isPartOfFold) ? countFolds(log) : known.foldCount,
  };
});

/** How a session's log is folded. */
export function foldsOf({ log, outline }: KnownSession): Pick<LogFacts, "isFolded" | "isWritten" | "foldCount"> {
  return log === undefined ? outline : factsOf(log);
}

/** How many messages a session's log has, with stand-ins. */
export function lengthOf({ log, outline }: KnownSession): number {
  return log === undefined ? outline.messages : log.length;
}

/** The messages of a log that was read as a whole. */
export function saidIn({ messages, fingerprints }: FingerprintedMessages): SaidMessages {
  return {
    count: messages.length,
    at: (index) => messages[index],
    fingerprintAt: (index) => fingerprints[index],
    tokens: () => countGrowing(messages),
  };
}

/**
 * The messages of a log of which only the outline is read, where a request repeats all of them word for word; undefined where it does not: then the
 * log itself has to be read.
 */
export function saidInOutline(outline: LogOutline, fingerprints: readonly string[]): SaidMessages | undefined {
  if (!beginsWith(fingerprints, outline)) return undefined;
  const { saidMessages: count, saidTokens } = outline;
  let visible: ReadonlyMap<number | undefined, Message> | undefined;
  return {
    count,
    at: (index) => {
      visible ??= new Map(outline.visible.map(({ place, message }) => [place, message]));
      return visible.get(index);
    },
    fingerprintAt: (index) => (index < count ? fingerprints[index] : undefined),
    tokens: () => saidTokens,
  };
}

function beginsWith(fingerprints: readonly string[], { saidMessages, stretches, newestKeys }: LogOutline): boolean {
  if (fingerprints.length < saidMessages) return false;
  const start = saidMessages - newestKeys.length;
  return newestKeys.every((key, index) => key === fingerprints[start + index]) && hasStretches(fingerprints, stretches);
}

/** Caches the fingerprints that were found to match the hashes of stretches: an agent repeats all of them with each request. */
const matchedFingerprints = new WeakMap<readonly SaidStretch[], readonly string[]>();

function hasStretches(fingerprints: readonly string[], stretches: readonly SaidStretch[]): boolean {
  const matched = matchedFingerprints.get(stretches);
  if (matched !== undefined) return matched.every((each, index) => each === fingerprints[index]);
  let start = 0;
  for (const { messages, hash } of stretches) {
    if (hashKeys(fingerprints.slice(start, start + messages)) !== hash) return false;
    start += messages;
  }
  matchedFingerprints.set(stretches, fingerprints.slice(0, start));
  return true;
}

/** The messages of a log without stand-ins. */
export function withoutStandIns(log: readonly Message[]): readonly Message[] {
  return log.filter((message) => !isStandIn(message));
}

/** Our count of the tokens of messages. Of a list that has grown since the last call, only the new messages are counted. */
export const countGrowing = readGrowth(0, (known, added: readonly Message[]) => known + countMessagesTokens(added));
