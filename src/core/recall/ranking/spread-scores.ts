import type { PassageKind } from "../passages/block-texts.ts";
import type { PassageOrder } from "./passage-order.ts";
import type { PassageScores } from "./score-passages.ts";

/** How many messages before and after a match get a share of its score: an answer is found by its question. */
const REACH = 2;
/** The share for the next message; one further away gets less in proportion. */
const NEIGHBOUR_SHARE = 0.3;
/** The share for the passages before and after a match in a call or a result. */
const ADJACENT_SHARE = 0.3;
/** The share of the distance to the best passage of a person's message that is added to its others: half of a message says half of what was meant. */
const WHOLE_SHARE = 0.3;
/** A message of more passages is not shown whole: it is about several things. */
const MAX_WHOLE_PASSAGES = 3;
/** The score that is added where all messages around are about the query, as a share of the best score. */
const SURROUNDINGS_SHARE = 0.5;
/** The distance in messages at which another one counts about a third for the surroundings. */
const SURROUNDINGS_REACH = 20;

export interface SpreadOptions {
  /** At least so many of the best messages are kept. */
  readonly limit: number;
  /** The share of the next message's score that is added to a message, by its index, besides the share for a neighbour. */
  readonly replyShareOf?: ((messageIndex: number) => number) | undefined;
  /** Whether the passages of a message belong together, as what a person says in a talk. @default for none */
  readonly isWhole?: ((messageIndex: number) => boolean) | undefined;
}

/**
 * Adds to each score a share of the scores around it: words beside a match, or where much is about the query, count more than elsewhere. So messages
 * around a match are found without a word of the query. Keeps only the best messages, `limit` or a few more, as in a long log nearly all have some
 * word of a query.
 */
export function spreadScores(
  { found, scores }: PassageScores,
  order: PassageOrder,
  options: SpreadOptions,
): PassageScores {
  const { limit, replyShareOf, isWhole = () => false } = options;
  const messages = order.messages();
  const best = new Float64Array(messages);
  for (const passage of found) {
    const message = order.messageOf(passage);
    best[message] = Math.max(best[message] ?? 0, scores[passage] ?? 0);
  }
  const around = scoresAround(best, replyShareOf);
  const least = leastOfBest(best, around, limit);
  const spread = new Float64Array(scores.length);
  const reached: number[] = [];
  for (let message = 0; message < messages; message++) {
    const lent = around[message] ?? 0;
    if (lent === 0 || (best[message] ?? 0) + lent < least) continue;
    const passages = order.passagesOf(message);
    const isShort = passages.length > 1 && passages.length <= MAX_WHOLE_PASSAGES;
    const wholeShare = isShort && isWhole(message) ? WHOLE_SHARE : 0;
    for (const [at, passage] of passages.entries()) {
      const own = scores[passage] ?? 0;
      const beside = isOfTool(order.kindOf(passage)) ? adjacentScore(passages, at, scores) : 0;
      spread[passage] = own + lent + beside + wholeShare * ((best[message] ?? 0) - own);
      reached.push(passage);
    }
  }
  return { found: reached, scores: spread };
}

/** The score that each message gets from others: by its surroundings, from its neighbours, and from the answer to it. */
function scoresAround(best: Float64Array, replyShareOf: SpreadOptions["replyShareOf"]): Float64Array {
  const around = surroundingScores(best);
  for (let message = 0; message < best.length; message++) {
    const reply = best[message + 1] ?? 0;
    const lent = reply > 0 && replyShareOf !== undefined ? reply * replyShareOf(message) : 0;
    around[message] = (around[message] ?? 0) + neighbourScore(best, message) + lent;
  }
  return around;
}

const STEPS = 4_096;

/** A score that at least `limit` messages reach, and not many more; found by counting in steps, as sorting all takes longer than the search. */
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

/** Whether a passage is from a call or a result, where the passages before and after it belong to it. */
function isOfTool(kind: PassageKind | undefined): boolean {
  return kind === "tool-call" || kind === "tool-result";
}

function adjacentScore(passages: readonly number[], at: number, scores: Float64Array): number {
  return ADJACENT_SHARE * ((scores[passages[at - 1] ?? -1] ?? 0) + (scores[passages[at + 1] ?? -1] ?? 0));
}

/** For each message the sum of the scores around it, which count less with distance, scaled so that the highest sum is a share of the best score. */
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
