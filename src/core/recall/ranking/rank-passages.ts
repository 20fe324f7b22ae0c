import type { PassageIndex } from "../index/passage-index.ts";
import type { TermHash } from "../passages/term-list.ts";
import { timeWeigher } from "./asked-time.ts";
import { answerWeigher } from "./expected-answer.ts";
import { feedbackTerms } from "./feedback-terms.ts";
import { numberedNameWeigher } from "./numbered-names.ts";
import type { PassageOrder } from "./passage-order.ts";
import { queryTerms } from "./query-terms.ts";
import { addScores, emptyScores, type PassageScores } from "./score-passages.ts";
import type { Speakers } from "./speakers.ts";
import { spreadScores } from "./spread-scores.ts";

/** The log that is searched, as the ranking needs it. */
export interface RankedLog {
  readonly index: PassageIndex;
  readonly order: PassageOrder;
  readonly speakers: Speakers;
  /** Whether neighbouring messages belong together. */
  readonly isContinuous: boolean;
}

/** How much more the newest message counts than the first: just enough to order equal passages. */
const RECENCY_SHARE = 0.02;
/** The least tokens of an excerpt with its heading, which bounds how many messages a budget can show. */
const LEAST_TOKENS = 8;
/** Passages with less than this share of the best score are not searched for names, as no name could make them the best. */
const READ_SHARE = 0.5;
/** A function word that a larger share of passages has is one of the log's own language. */
const RARE_SHARE = 0.1;
/** The least number of messages to choose from, as later factors change their order and some repeat others. */
const MIN_MESSAGES = 1_000;

/**
 * The passages that a query may be about, with their scores: by the query's words (BM25) and by words that the best passages use for the same, then by
 * neighbouring passages, speaker, time, and whether a passage has the kind of thing that the question asks for.
 */
export function rankPassages(log: RankedLog, query: string, budgetTokens: number): PassageScores {
  const { index, order, speakers } = log;
  const isRare = (term: TermHash) => index.passagesWith(term) <= RARE_SHARE * index.passages.length;
  const terms = queryTerms(query, speakers.isTalk() ? isRare : undefined);
  const own = emptyScores(index);
  addScores(index, terms, own);
  if (own.found.length === 0) return own;
  addScores(index, feedbackTerms(log, terms, own), own);
  const limit = Math.max(MIN_MESSAGES, budgetTokens / LEAST_TOKENS);
  const { found, scores } = log.isContinuous
    ? spreadScores(own, order, {
        limit,
        replyShareOf: speakers.replySharesFor(query),
        isWhole: speakers.isTalk() ? speakers.isPerson : undefined,
      })
    : own;
  const messages = order.messages();
  const ofSpeaker = speakers.weigherFor(query);
  const ofTime = timeWeigher(query, order.newestMs());
  const ofAnswer = answerWeigher(query);
  const ofName = numberedNameWeigher(query);
  // Only texts of passages that can become the best are searched: there may be hundreds of thousands.
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
