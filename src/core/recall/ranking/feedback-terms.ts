import type { PassageIndex } from "../index/passage-index.ts";
import { ENTRY_SIZE, type TermHash } from "../passages/term-list.ts";
import type { PassageOrder } from "./passage-order.ts";
import { isFunctionTerm, type QueryTerm, termKey } from "./query-terms.ts";
import { type PassageScores, rarity } from "./score-passages.ts";

/** A query with more terms needs no feedback. */
const MAX_QUERY_TERMS = 16;
/** How many of the best passages are taken to be what was meant, and how many of their terms are added. */
const BEST_PASSAGES = 6;
const MAX_TERMS = 8;
/** The weight of the best of these terms, where a word of the query has 1. */
const WEIGHT = 0.15;
/** Added to the length of passages: a term of a very short one says less about the topic. */
const LENGTH_FLOOR = 20;
const MAX_COUNT = 2;

interface Candidate extends TermHash {
  passages: number;
  value: number;
}

/**
 * Pseudo-relevance feedback: terms that the best passages share and the query does not have, as the words that this conversation uses for what is asked.
 * None for a long query, and none that only one of these passages has.
 */
export function feedbackTerms(
  { index, order }: { readonly index: PassageIndex; readonly order: Pick<PassageOrder, "compare"> },
  query: readonly QueryTerm[],
  matches: PassageScores,
): readonly QueryTerm[] {
  if (query.length > MAX_QUERY_TERMS) return [];
  const candidates = new Map<string, Candidate>();
  const asked = new Set(query.map(termKey));
  for (const passage of bestOf(matches, order)) {
    const { entries, start, end, length } = index.passages[passage]?.terms ?? NO_TERMS;
    for (let at = start; at < end; at += ENTRY_SIZE) {
      const term = { low: entries[at] ?? 0, high: entries[at + 1] ?? 0 };
      const key = termKey(term);
      if (asked.has(key) || isFunctionTerm(term)) continue;
      const candidate = candidates.get(key) ?? { ...term, passages: 0, value: 0 };
      candidate.passages++;
      candidate.value +=
        ((matches.scores[passage] ?? 0) * Math.min(MAX_COUNT, entries[at + 2] ?? 0)) / (length + LENGTH_FLOOR);
      candidates.set(key, candidate);
    }
  }
  const shared = [...candidates.values()].filter(({ passages }) => passages > 1);
  const worth = shared.map((candidate) => ({ ...candidate, value: candidate.value * rarity(index, candidate) }));
  worth.sort((one, other) => other.value - one.value || one.low - other.low || one.high - other.high);
  const best = worth[0]?.value ?? 1;
  return worth.slice(0, MAX_TERMS).map(({ low, high, value }) => ({ low, high, weight: (WEIGHT * value) / best }));
}

const NO_TERMS = { entries: new Uint32Array(0), start: 0, end: 0, length: 0 };

/** The passages with the highest scores, found without ordering all; the newest first among equals. */
function bestOf({ found, scores }: PassageScores, { compare }: Pick<PassageOrder, "compare">): readonly number[] {
  const best: number[] = [];
  const isBetter = (one: number, other: number) =>
    (scores[one] ?? 0) > (scores[other] ?? 0) || (scores[one] === scores[other] && compare(one, other) > 0);
  for (const passage of found) {
    const last = best.at(-1);
    if (best.length >= BEST_PASSAGES && last !== undefined && !isBetter(passage, last)) continue;
    const at = best.findIndex((other) => isBetter(passage, other));
    best.splice(at < 0 ? best.length : at, 0, passage);
    if (best.length > BEST_PASSAGES) best.pop();
  }
  return best;
}
