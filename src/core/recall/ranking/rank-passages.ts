import type { PassageIndex } from "../index/passage-index.ts";
import { timeWeigher } from "./asked-time.ts";
import { answerWeigher } from "./expected-answer.ts";
import { feedbackTerms } from "./feedback-terms.ts";
import { numberedNameWeigher } from "./numbered-names.ts";
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
/** What has less of the best score is not the best by the names that it holds either. */
const READ_SHARE = 0.5;
/** Enough to choose from, where weights change their order and some say the same. */
const MIN_MESSAGES = 1_000;

/**
 * The passages that a query may be about, each with its score: by its own words (BM25) and by the words that the best ones use for the same, then by
 * what stands around it, by who says it and when, and by whether it holds what such a question asks for.
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
  const ofSpeaker = speakers.weigherFor(query);
  const ofTime = timeWeigher(query, order.newestMs());
  const ofAnswer = answerWeigher(query);
  const ofName = numberedNameWeigher(query);
  // Texts are read of those alone that can become the best: there may be hundreds of thousands.
  const leastScore = ofName && READ_SHARE * found.reduce((best, number) => Math.max(best, scores[number] ?? 0), 0);
  for (const number of found) {
    const message = order.messageOf(number);
    const passage = index.passages[number];
    const isText = order.kindOf(number) === "text";
    const recency = 1 + (RECENCY_SHARE * (message + 1)) / messages;
    const answer = isText && passage !== undefined ? ofAnswer(passage) : 1;
    const score = scores[number] ?? 0;
    const isRead = ofName !== undefined && passage !== undefined && score >= (leastScore ?? 0);
    const name = isRead ? ofName(passage) : 1;
    scores[number] = score * ofSpeaker(message, isText) * ofTime(order.timeOf(message)) * answer * name * recency;
  }
  return { found, scores };
}
