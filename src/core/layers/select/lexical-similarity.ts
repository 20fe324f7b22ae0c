import { ENTRY_SIZE, listTerms, type TermHash, type TermList } from "../../recall/passages/term-list.ts";
import type { Similarity } from "./relevance.ts";

// BM25 as in recall, but with half the weight for length, because entries of a memory differ little in it.
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.5;
const SHORTEST_SHARE = 0.5;

/** A text with so many of the goal's terms is relevant, however long the goal is. */
const MOST_TERMS_NEEDED = 8;

/** The data of a text on which its score depends. */
interface TextTerms {
  readonly length: number;
  readonly distinct: number;
  /** The goal's terms in the text, by their number, and how often each occurs. */
  readonly shared: readonly { readonly term: number; readonly count: number }[];
}

/**
 * Similarity by words: the BM25 score of each text for the goal, relative to the highest possible score of a text with its number of
 * words. Caches the terms of the texts of its last call.
 */
export function createLexicalSimilarity(): Similarity {
  let lastGoal = "";
  let cache = new Map<string, TextTerms>();
  return (goal, texts) => {
    if (goal !== lastGoal) cache = new Map();
    lastGoal = goal;
    const goalTerms = numberTerms(listTerms(goal));
    const nextCache = new Map<string, TextTerms>();
    const textTerms = texts.map((text) => {
      const terms = nextCache.get(text) ?? cache.get(text) ?? findTerms(listTerms(text), goalTerms);
      nextCache.set(text, terms);
      return terms;
    });
    cache = nextCache;
    return scoreTexts(goalTerms.length, textTerms);
  };
}

/** The terms of a goal without function words; their indexes are their numbers. */
function numberTerms(goal: TermList): readonly TermHash[] {
  const terms: TermHash[] = [];
  forEachTerm(goal, ({ low, high }) => terms.push({ low, high }));
  return terms;
}

function findTerms(text: TermList, goalTerms: readonly TermHash[]): TextTerms {
  const numbers = new Map(goalTerms.map(({ low }, number) => [low, number]));
  const shared: { term: number; count: number }[] = [];
  let distinct = 0;
  forEachTerm(text, ({ low, high }, count) => {
    distinct++;
    const term = numbers.get(low);
    if (term !== undefined && goalTerms[term]?.high === high) shared.push({ term, count });
  });
  return { length: text.length, distinct, shared };
}

function scoreTexts(goalTerms: number, texts: readonly TextTerms[]): readonly number[] {
  const textsWithTerm = new Uint32Array(goalTerms);
  for (const { shared } of texts) for (const { term } of shared) textsWithTerm[term] = (textsWithTerm[term] ?? 0) + 1;
  // Smoothed, so that a term has some weight even where all of a few texts have it.
  const worths = Array.from(textsWithTerm, (count) => Math.log1p((texts.length + 1) / (count + 1)));
  const best = bestScores(worths);
  const meanLength = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length);
  return texts.map(({ length, distinct, shared }) => {
    const share = Math.max(SHORTEST_SHARE, length / Math.max(1, meanLength));
    const damping = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * share);
    let score = 0;
    for (const { term, count } of shared) score += ((worths[term] ?? 0) * count * (SATURATION + 1)) / (count + damping);
    const most = best[Math.min(distinct, best.length - 1)] ?? 0;
    return most === 0 ? 0 : Math.min(1, score / most);
  });
}

/** By number of terms, the score of a text with so many of the goal's best terms, once each. */
function bestScores(worths: readonly number[]): readonly number[] {
  const best = [0];
  for (const worth of worths.toSorted((one, other) => other - one).slice(0, MOST_TERMS_NEEDED)) {
    best.push((best.at(-1) ?? 0) + worth);
  }
  return best;
}

function forEachTerm({ entries, start, end }: TermList, visit: (hash: TermHash, count: number) => void): void {
  const hash = { low: 0, high: 0 };
  for (let at = start; at < end; at += ENTRY_SIZE) {
    hash.low = entries[at] ?? 0;
    hash.high = entries[at + 1] ?? 0;
    if (!isFunctionTerm(hash)) visit(hash, entries[at + 2] ?? 0);
  }
}

// The most common function words of the languages in which most tasks are written.
const FUNCTION_WORDS = [
  "a an and any are as at be been but by can could do does for from had has have how i if in into is it its let may me more most",
  "must my no not of on once one only or our out over please shall should so some such than that the their them then there these",
  "they this those to up us use was we were what when where which who why will with without would you your",
  "au aux avec ce ces cette dans de des du elle en est et il la le les leur mais ne nous ou par pas pour que qui sans se sur un",
  "une vous",
  "aber als am an auch auf aus bei bin das dem den der des die durch ein eine einem einen einer es für hat ich ihr im in ist kein",
  "mit nach nicht noch nur oder sich sie sind so um und uns unter vom von vor wenn wie wir wird zu zum zur",
  "al como con del el ella en es esta este la las lo los más no nos o para pero por que se su sus un una y",
  "ao com da das do dos e em na nas não nos o os ou para por pela pelo que se sem um uma",
  "che con da dei del della di e gli il in la le lo ma nel non per si sono su un una",
  "в во для и из к как на не но о от по при с со то у что это",
].join(" ");

/** The hashes of these words: the lower half as key, the upper half as value. */
const functionTerms = new Map<number, number>();
const { entries, start, end } = listTerms(FUNCTION_WORDS);
for (let at = start; at < end; at += ENTRY_SIZE) functionTerms.set(entries[at] ?? 0, entries[at + 1] ?? 0);

/** Whether a term is a function word. Every text has some, and with few texts their weight would be too high. */
function isFunctionTerm({ low, high }: TermHash): boolean {
  return functionTerms.get(low) === high;
}
