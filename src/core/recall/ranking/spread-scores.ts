import type { PassageKind } from "../passages/block-texts.ts";
import type { PassageOrder } from "./passage-order.ts";
import type { PassageScores } from "./score-passages.ts";

/** How far a message lends its score to those before and after it: an answer says little without its question, and is found by it. */
const REACH = 2;
/** What the next message gets of a score; one further away gets less in proportion. */
const NEIGHBOUR_SHARE = 0.3;
/** The same for the passage above and below, inside what a tool was given or returned. */
const ADJACENT_SHARE = 0.3;
/** What a message gains where all around is about the query, as a share of the best score. */
const SURROUNDINGS_SHARE = 0.5;
/** In messages: at this distance, another one counts for a third. */
const SURROUNDINGS_REACH = 20;

/**
 * The scores with those of the surroundings: what stands beside a match, or where much is about the query, is worth more than the same words
 * elsewhere. Also finds the messages beside a match that hold no word of the query. Only of the best messages, `limit` of them and a few more: in a
 * long log nearly all have some word of a query.
 */
export function spreadScores({ found, scores }: PassageScores, order: PassageOrder, limit: number): PassageScores {
  const messages = order.messages();
  const best = new Float64Array(messages);
  for (const passage of found) {
    const message = order.messageOf(passage);
    best[message] = Math.max(best[message] ?? 0, scores[passage] ?? 0);
  }
  const around = scoresAround(best);
  const least = leastOfBest(best, around, limit);
  const spread = new Float64Array(scores.length);
  const reached: number[] = [];
  for (let message = 0; message < messages; message++) {
    const lent = around[message] ?? 0;
    if (lent === 0 || (best[message] ?? 0) + lent < least) continue;
    const passages = order.passagesOf(message);
    for (const [at, passage] of passages.entries()) {
      const beside = isOfTool(order.kindOf(passage)) ? adjacentScore(passages, at, scores) : 0;
      spread[passage] = (scores[passage] ?? 0) + lent + beside;
      reached.push(passage);
    }
  }
  return { found: reached, scores: spread };
}

/** What each message gets from others; 0 where neither it nor one in reach holds a word of the query. */
function scoresAround(best: Float64Array): Float64Array {
  const around = surroundingScores(best);
  for (let message = 0; message < best.length; message++) {
    const lent = neighbourScore(best, message);
    around[message] = lent === 0 && best[message] === 0 ? 0 : (around[message] ?? 0) + lent;
  }
  return around;
}

const STEPS = 4_096;

/** A score that at least `limit` messages have, and not many more: found by counting, as ordering all of them takes longer than the search. */
function leastOfBest(best: Float64Array, around: Float64Array, limit: number): number {
  if (best.length <= limit) return 0;
  let highest = 0;
  for (let message = 0; message < best.length; message++) {
    highest = Math.max(highest, (best[message] ?? 0) + (around[message] ?? 0));
  }
  if (highest === 0) return 0;
  const counts = new Uint32Array(STEPS + 1);
  const scale = STEPS / highest;
  for (let message = 0; message < best.length; message++) {
    const step = Math.floor(((best[message] ?? 0) + (around[message] ?? 0)) * scale);
    counts[step] = (counts[step] ?? 0) + 1;
  }
  let step = STEPS;
  for (let above = counts[step] ?? 0; above < limit && step > 0; above += counts[step] ?? 0) step--;
  return step / scale;
}

function neighbourScore(best: Float64Array, message: number): number {
  let lent = 0;
  for (let distance = 1; distance <= REACH; distance++) {
    lent += (((best[message - distance] ?? 0) + (best[message + distance] ?? 0)) * NEIGHBOUR_SHARE) / distance;
  }
  return lent;
}

/** Inside what a tool was given or returned, the lines above and below belong to what was found. */
function isOfTool(kind: PassageKind | undefined): boolean {
  return kind === "tool-call" || kind === "tool-result";
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
  const scale = highest === 0 ? 0 : (SURROUNDINGS_SHARE * bestScore) / highest;
  for (let message = 0; message < sums.length; message++) sums[message] = (sums[message] ?? 0) * scale;
  return sums;
}
