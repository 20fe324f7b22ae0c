import type { PassageIndex } from "../index/passage-index.ts";
import { feedbackTerms } from "./feedback-terms.ts";
import { queryTerms } from "./query-terms.ts";
import { type PassageScores, scorePassages } from "./score-passages.ts";
import type { Speakers } from "./speakers.ts";
import { type PassageOrder, spreadScores } from "./spread-scores.ts";

/** What is searched. */
export interface RankedLog {
  readonly index: PassageIndex;
  readonly order: PassageOrder;
  readonly speakers: Speakers;
  /** Whether messages that stand beside each other belong together. */
  readonly isContinuous: boolean;
  /** Whether a passage is of what was said, and neither of a thought nor of a tool. */
  isText(passage: number): boolean;
}

/** The newest message is worth this much more than the first: enough to order equals, and no more. */
const RECENCY_SHARE = 0.02;

/**
 * The passages that a query may be about, each with its score: by its own words (BM25) and by the words that the best ones use for the same, then by
 * what stands around it and by who says it.
 */
export function rankPassages(log: RankedLog, query: string): PassageScores {
  const { index, order, speakers, isText } = log;
  const terms = queryTerms(query);
  const first = scorePassages(index, terms);
  if (first.found.length === 0) return first;
  const own = scorePassages(index, feedbackTerms(index, terms, first), first);
  const { found, scores } = log.isContinuous ? spreadScores(own, order) : own;
  const weightOf = speakers.weigherFor(query);
  for (const passage of found) {
    const message = order.messageOf(passage);
    const recency = 1 + (RECENCY_SHARE * (message + 1)) / order.messages;
    scores[passage] = (scores[passage] ?? 0) * weightOf(message, isText(passage)) * recency;
  }
  return { found, scores };
}
