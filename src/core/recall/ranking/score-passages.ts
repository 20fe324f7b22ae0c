import type { PassageIndex } from "../index/passage-index.ts";
import type { QueryTerm } from "./query-terms.ts";

/** The numbers of passages that have a score, in no order, and the scores by number. */
export interface PassageScores {
  readonly found: readonly number[];
  readonly scores: Float64Array;
}

/** Scores while they are added up, in one array for all steps, as a query may score hundreds of thousands of passages. */
export interface ScoreSums extends PassageScores {
  readonly found: number[];
}

/** Scores in which no passage has one yet. */
export function emptyScores(index: PassageIndex): ScoreSums {
  return { found: [], scores: new Float64Array(index.passages.length) };
}

// BM25. Passages are of about the same length, so length tells little: less than half of the usual weight, and none at all below
// half of the mean, or single lines would beat every passage that explains them. A word that comes again tells little more.
const SATURATION = 0.8;
const LENGTH_WEIGHT = 0.3;
const SHORTEST_SHARE = 0.5;

/** The count of a term that only the passage's context, its call, has. */
const CONTEXT_COUNT = 0.5;

const MAX_QUERY_TERMS = 48;
// A term that most passages hold cannot change their order by much: when this many postings were read for rarer ones, it
// is left out. That bounds a query, whatever it says.
const MIN_POSTINGS_READ = 50_000;
const MAX_READ_PER_PASSAGE = 2;

/** Adds the BM25 scores of all terms to the passages that have them; of many terms, only the rarest count. */
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

/** The inverse document frequency of a term: the fewer passages have it, the higher. */
export function rarity(index: PassageIndex, term: Pick<QueryTerm, "low" | "high">): number {
  const passages = index.passagesWith(term);
  return Math.log1p((index.passages.length - passages + 0.5) / (passages + 0.5));
}
