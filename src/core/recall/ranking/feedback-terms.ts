import type { PassageIndex } from "../index/passage-index.ts";
import { ENTRY_SIZE, type TermHash } from "../passages/term-list.ts";
import { isFunctionTerm, type QueryTerm, termKey } from "./query-terms.ts";
import { type PassageScores, rarity } from "./score-passages.ts";

/** A query with more terms says itself what it is about. */
const MAX_QUERY_TERMS = 16;
/** The best passages are taken to be what was meant. */
const PASSAGES = 6;
const TERMS = 8;
/** What the best of these terms counts for, where a word of the query counts for 1. */
const WEIGHT = 0.15;
/** A short passage that shares a word says less about the topic than one of this many terms. */
const LENGTH_FLOOR = 20;
const MAX_COUNT = 2;

interface Candidate extends TermHash {
  passages: number;
  value: number;
}

/**
 * Terms that the best passages share and the query lacks: the words that this conversation uses for what is asked. None for a long query, and none
 * that a single passage holds alone.
 */
export function feedbackTerms(
  index: PassageIndex,
  query: readonly QueryTerm[],
  { found, scores }: PassageScores,
): readonly QueryTerm[] {
  if (query.length > MAX_QUERY_TERMS) return [];
  const candidates = new Map<string, Candidate>();
  const asked = new Set(query.map(termKey));
  for (const passage of bestOf(found, scores)) {
    const { entries, start, end, length } = index.passages[passage]?.terms ?? NO_TERMS;
    for (let at = start; at < end; at += ENTRY_SIZE) {
      const term = { low: entries[at] ?? 0, high: entries[at + 1] ?? 0 };
      const key = termKey(term);
      if (asked.has(key) || isFunctionTerm(term)) continue;
      const candidate = candidates.get(key) ?? { ...term, passages: 0, value: 0 };
      candidate.passages++;
      candidate.value += ((scores[passage] ?? 0) * Math.min(MAX_COUNT, entries[at + 2] ?? 0)) / (length + LENGTH_FLOOR);
      candidates.set(key, candidate);
    }
  }
  const shared = [...candidates.values()].filter(({ passages }) => passages > 1);
  const worth = shared.map((each) => ({ ...each, value: each.value * rarity(index, each) }));
  worth.sort((one, other) => other.value - one.value || one.low - other.low || one.high - other.high);
  const best = worth[0]?.value ?? 1;
  return worth.slice(0, TERMS).map(({ low, high, value }) => ({ low, high, weight: (WEIGHT * value) / best }));
}

const NO_TERMS = { entries: new Uint32Array(0), start: 0, end: 0, length: 0 };

/** The few with the highest scores, without ordering all: the newest first among equals. */
function bestOf(found: readonly number[], scores: Float64Array): readonly number[] {
  const best: number[] = [];
  const isBetter = (one: number, other: number) =>
    (scores[one] ?? 0) > (scores[other] ?? 0) || (scores[one] === scores[other] && one > other);
  for (const passage of found) {
    const last = best.at(-1);
    if (best.length >= PASSAGES && last !== undefined && !isBetter(passage, last)) continue;
    const at = best.findIndex((each) => isBetter(passage, each));
    best.splice(at < 0 ? best.length : at, 0, passage);
    if (best.length > PASSAGES) best.pop();
  }
  return best;
}
