import type { PassageIndex } from "../index/passage-index.ts";
import { feedbackTerms } from "./feedback-terms.ts";
import type { PassageOrder } from "./passage-order.ts";
import { queryTerms } from "./query-terms.ts";
import { addScores, emptyScores, type PassageScores } from "./score-passages.ts";
import type { Speakers } from "./speakers.ts";
import { spreadScores } from "./spread-scores.ts";

/** What is searched. */
export interface RankedLog {
  readonly index: PassageIndex;
  readonly order: PassageOrder;
  readonly speakers: Speakers;
  /** Whether messages that stand beside each other belong together. */
  readonly isContinuous: boolean;
}

/** The newest message is worth this much more than the first: enough to order equals, and no more. */
const RECENCY_SHARE = 0.02;
/** No excerpt takes less with its heading, so of a budget no more messages than this can be shown. */
const LEAST_TOKENS = 8;
/** Enough to choose from, where weights change their order and some say the same. */
const MIN_MESSAGES = 1_000;

/**
 * The passages that a query may be about, each with its score: by its own words (BM25) and by the words that the best ones use for the same, then by
 * what stands around it and by who says it.
 */
export function rankPassages(log: RankedLog, query: string, budgetTokens: number): PassageScores {
  const { index, order, speakers } = log;
  const terms = queryTerms(query);
  const own = emptyScores(index);
  addScores(index, terms, own);
  if (own.found.length === 0) return own;
  addScores(index, feedbackTerms(index, terms, own), own);
  const limit = Math.max(MIN_MESSAGES, budgetTokens / LEAST_TOKENS);
  const { found, scores } = log.isContinuous ? spreadScores(own, order, limit) : own;
  const messages = order.messages();
  const weightOf = speakers.weigherFor(query);
  for (const passage of found) {
    const message = order.messageOf(passage);
    const recency = 1 + (RECENCY_SHARE * (message + 1)) / messages;
    scores[passage] = (scores[passage] ?? 0) * weightOf(message, order.kindOf(passage) === "text") * recency;
  }
  return { found, scores };
}
