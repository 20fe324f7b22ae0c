import type { PassageScores } from "./score-passages.ts";

/** Which passages are of which message. */
export interface PassageOrder {
  /** How many messages the log has. */
  readonly messages: number;
  /** The passages of a message, in their order. */
  passagesOf(messageIndex: number): readonly number[];
  messageOf(passage: number): number;
  /** Whether a passage is of a tool's call or result: there the lines above and below belong to what was found. */
  isOfTool(passage: number): boolean;
}

/** How far a message lends its score to those before and after it: an answer says little without its question, and is found by it. */
const REACH = 2;
/** What the next message gets of a score; one further away gets less in proportion. */
const NEIGHBOUR_SHARE = 0.3;
/** The same for the passage above and below, inside what a tool was given or returned. */
const ADJACENT_SHARE = 0.3;
/** What a message gains where all around is about the query, as a share of the best score. */
const SURROUNDINGS_SHARE = 0.3;
/** In messages: at this distance, another one counts for a third. */
const SURROUNDINGS_REACH = 20;

/**
 * The scores with those of the surroundings: what stands beside a match, or where much is about the query, is worth more than the same words
 * elsewhere. Also finds the messages beside a match that hold no word of the query.
 */
export function spreadScores({ found, scores }: PassageScores, order: PassageOrder): PassageScores {
  const best = new Float64Array(order.messages);
  for (const passage of found) {
    const message = order.messageOf(passage);
    best[message] = Math.max(best[message] ?? 0, scores[passage] ?? 0);
  }
  const surroundings = surroundingScores(best);
  const spread = new Float64Array(scores.length);
  const reached: number[] = [];
  for (let message = 0; message < order.messages; message++) {
    const lent = neighbourScore(best, message);
    if (lent === 0 && best[message] === 0) continue;
    const passages = order.passagesOf(message);
    for (const [at, passage] of passages.entries()) {
      const beside = order.isOfTool(passage) ? adjacentScore(passages, at, scores) : 0;
      spread[passage] = (scores[passage] ?? 0) + lent + beside + (surroundings[message] ?? 0);
      reached.push(passage);
    }
  }
  return { found: reached, scores: spread };
}

function neighbourScore(best: Float64Array, message: number): number {
  let lent = 0;
  for (let distance = 1; distance <= REACH; distance++) {
    lent += (((best[message - distance] ?? 0) + (best[message + distance] ?? 0)) * NEIGHBOUR_SHARE) / distance;
  }
  return lent;
}

function adjacentScore(passages: readonly number[], at: number, scores: Float64Array): number {
  return ADJACENT_SHARE * ((scores[passages[at - 1] ?? -1] ?? 0) + (scores[passages[at + 1] ?? -1] ?? 0));
}

/** For each message the scores all around, less the further away; the highest is a share of the best single score. */
function surroundingScores(best: Float64Array): Float64Array {
  const decay = Math.exp(-1 / SURROUNDINGS_REACH);
  const sums = new Float64Array(best.length);
  let before = 0;
  for (let message = 0; message < best.length; message++) {
    before = before * decay + (best[message] ?? 0);
    sums[message] = before;
  }
  let after = 0;
  let highest = 0;
  let bestScore = 0;
  for (let message = best.length - 1; message >= 0; message--) {
    const own = best[message] ?? 0;
    const sum = (sums[message] ?? 0) + after;
    sums[message] = sum;
    after = (after + own) * decay;
    highest = Math.max(highest, sum);
    bestScore = Math.max(bestScore, own);
  }
  return highest === 0 ? sums : sums.map((sum) => (sum * SURROUNDINGS_SHARE * bestScore) / highest);
}
