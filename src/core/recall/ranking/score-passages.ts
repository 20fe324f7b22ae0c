import type { PassageIndex } from "../index/passage-index.ts";
import type { QueryTerm } from "./query-terms.ts";

/** The passages that have a score, in no order, and the score of each by its number. */
export interface PassageScores {
  readonly found: readonly number[];
  readonly scores: Float64Array;
}

/** Scores that are being added up: a query touches hundreds of thousands, so there is one array for all of its steps. */
export interface ScoreSums extends PassageScores {
  readonly found: number[];
}

/** No passage has a score yet. */
export function emptyScores(index: PassageIndex): ScoreSums {
  return { found: [], scores: new Float64Array(index.passages.length) };
}

// BM25. Passages are of about the same length, so length tells little: less than half of the usual weight, and none at all below
// half of the mean, or single lines would beat every passage that explains them. A word that comes again tells little more.
const SATURATION = 0.8;
const LENGTH_WEIGHT = 0.3;
const SHORTEST_SHARE = 0.5;

/** How often a term counts that only the call behind a passage holds. */
const CONTEXT_COUNT = 0.5;

const MAX_QUERY_TERMS = 48;
// A term that most passages hold cannot change their order by much: when this many postings were read for rarer ones, it
// is left out. That bounds a query, whatever it says.
const MIN_POSTINGS_READ = 50_000;
const MAX_READ_PER_PASSAGE = 2;

/** Adds what the terms give to every passage that holds one of them; the rarest ones decide where a query has many. */
export function addScores(index: PassageIndex, terms: readonly QueryTerm[], { found, scores }: ScoreSums): void {
  const meanLength = index.meanLength();
  const maxPostings = Math.max(MIN_POSTINGS_READ, scores.length * MAX_READ_PER_PASSAGE);
  let visited = 0;
  for (const { term, passages, worth } of byWorth(index, terms)) {
    if (visited > 0 && visited + passages > maxPostings) continue;
    visited += passages;
    index.visit(term, (passage, count) => {
      const before = scores[passage] ?? 0;
      if (before === 0) found.push(passage);
      const length = Math.max(SHORTEST_SHARE, index.lengthOf(passage) / meanLength);
      const occurrences = count === 0 ? CONTEXT_COUNT : count;
      const damping = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length);
      scores[passage] = before + (worth * occurrences * (SATURATION + 1)) / (occurrences + damping);
    });
  }
}

interface WeighedTerm {
  readonly term: QueryTerm;
  readonly passages: number;
  readonly worth: number;
}

function byWorth(index: PassageIndex, terms: readonly QueryTerm[]): readonly WeighedTerm[] {
  return terms
    .map((term) => ({ term, passages: index.passagesWith(term), worth: term.weight * rarity(index, term) }))
    .filter(({ passages }) => passages > 0)
    .sort((one, other) => other.worth - one.worth || one.term.low - other.term.low || one.term.high - other.term.high)
    .slice(0, MAX_QUERY_TERMS);
}

/** How much it tells that a passage holds the term: the fewer do, the more. */
export function rarity(index: PassageIndex, term: Pick<QueryTerm, "low" | "high">): number {
  const passages = index.passagesWith(term);
  return Math.log1p((index.passages.length - passages + 0.5) / (passages + 0.5));
}
