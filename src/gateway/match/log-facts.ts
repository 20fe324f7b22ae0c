import { readGrowth } from "../../adapters/splice/read-once.ts";
import { listFolds } from "../../core/history/list-folds.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";

/** A conversation, with one fingerprint per message. */
export interface Spoken {
  readonly messages: readonly Message[];
  readonly fingerprints: readonly string[];
}

/** What requests are compared with, of a log. */
export interface LogFacts {
  /** The messages that were said, without summaries and markers: as an agent sends them. */
  readonly spoken: Spoken;
  readonly isFolded: boolean;
  /** Whether a view of this log must be written: what only a provider hides, by a compaction of its own, can go as it came. */
  readonly isWritten: boolean;
  readonly foldCount: number;
}

const NO_FACTS: LogFacts = {
  spoken: { messages: [], fingerprints: [] },
  isFolded: false,
  isWritten: false,
  foldCount: 0,
};

/** The facts of a log. One that has only grown since it was last asked for costs what is new in it. */
export const factsOf = readGrowth(NO_FACTS, (known, added: readonly Message[], log): LogFacts => {
  const said = spokenMessages(added);
  const { messages, fingerprints } = known.spoken;
  return {
    spoken: {
      messages: [...messages, ...said],
      fingerprints: [...fingerprints, ...said.map(({ keys }) => keys?.[0] ?? "")],
    },
    isFolded: known.isFolded || added.some((message) => isStandIn(message) || hasFolds(message)),
    isWritten: known.isWritten || added.some((message) => isOwnStandIn(message) || hasFolds(message)),
    foldCount: added.some(isPartOfFold) ? listFolds(log).length : known.foldCount,
  };
});

/** The messages that were said. */
export function spokenMessages(log: readonly Message[]): readonly Message[] {
  return log.filter((message) => !isStandIn(message));
}

function isOwnStandIn(message: Message): boolean {
  return isStandIn(message) && message.compaction !== "provider";
}

function isPartOfFold(message: Message): boolean {
  const { condenseParent, truncationParent } = message;
  return condenseParent !== undefined || truncationParent !== undefined || isStandIn(message) || hasFolds(message);
}

function hasFolds({ folds = [] }: Message): boolean {
  return folds.length > 0;
}

/** Our count of messages, which are counted again and again while there are more and more of them. */
export const countGrowing = readGrowth(0, (known, added: readonly Message[]) => known + countMessagesTokens(added));
