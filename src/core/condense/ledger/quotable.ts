import { isStandIn, standInsOf, summaryId } from "../../message/effective-view.ts";
import { logSegments, segmentFacts } from "../../message/log-segments.ts";
import type { Message } from "../../message/message.ts";
import { hybridSummaryOf, summaryOnly } from "../hybrid/hybrid-text.ts";
import { isLedger } from "./ledger-text.ts";

/**
 * The messages that a ledger may quote: everything that was said, hidden or not, and the summaries of models. Earlier ledgers are left out, as the log
 * still holds the lines that they quote, unless it was cut and nothing that they hide is left.
 */
export function quotable(messages: readonly Message[]): readonly Message[] {
  const segments = logSegments(messages);
  const parents = new Set(segments.flatMap(parentsIn));
  const newestHybrid = segments.findLast((segment) => newestHybridIn(segment) !== undefined);
  const context = { parents, newestHybrid: newestHybrid && newestHybridIn(newestHybrid) };
  const parts = segments.map((segment) =>
    standInsOf(segment).length === 0 ? segment.messages : quotableOf(segment.messages, context),
  );
  const none: readonly Message[] = [];
  // Frozen, so that what is computed from it can be cached.
  return Object.freeze(none.concat(...parts));
}

const parentsIn = segmentFacts((messages) => [...new Set(messages.map(({ condenseParent }) => condenseParent))]);

const newestHybridIn = segmentFacts((messages) =>
  messages.findLast((message) => hybridSummaryOf(message) !== undefined),
);

interface QuotableContext {
  /** The ids of the summaries that hide messages. */
  readonly parents: ReadonlySet<string | undefined>;
  readonly newestHybrid: Message | undefined;
}

function quotableOf(messages: readonly Message[], { parents, newestHybrid }: QuotableContext): readonly Message[] {
  return messages.flatMap((message) => {
    if (!isStandIn(message)) return message;
    const id = summaryId(message);
    if (id === undefined) return [];
    if (!parents.has(id)) return message;
    if (isLedger(message)) return [];
    if (hybridSummaryOf(message) === undefined) return message;
    // Each hybrid has taken over what still held of the one before.
    return message === newestHybrid ? summaryOnly(message) : [];
  });
}
