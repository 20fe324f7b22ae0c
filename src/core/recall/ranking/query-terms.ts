import { FUNCTION_WORDS } from "../../text/function-words.ts";
import { hashTerm, hashText, type TermHash } from "../passages/term-list.ts";
import { otherForms } from "../terms/irregular-forms.ts";
import { inflecter } from "../terms/other-endings.ts";
import { relatedWords } from "../terms/related-words.ts";
import { scanTerms, type TermRole } from "../terms/scan-terms.ts";

/** A term of a query and how much it counts for. */
export interface QueryTerm extends TermHash {
  readonly weight: number;
}

/** Someone who names an identifier means that one; the words it is made of are only a help. */
const WEIGHTS: Readonly<Record<TermRole, number>> = { identifier: 2, word: 1, part: 0.5 };

/** Longer queries are pasted text: what they are about is in their first thousands of characters. */
const MAX_QUERY_CHARACTERS = 10_000;

/** Less than the word itself: a form may belong to another word as well, as `left` and `saw` do. */
const OTHER_FORM_WEIGHT = 0.8;
/** Another word for a thing is often said of something else as well. */
const RELATED_WORD_WEIGHT = 0.4;

/** Endings are guessed: what they give may be another word. */
const INFLECTED_WEIGHT = 0.7;

const WORD = /[A-Za-z]{2,}/g;
const ANY_WORD = /\p{L}{4,40}/gu;
const MIN_NAME_CHARACTERS = 4;

/** The distinct terms of a query, each with the highest weight that it occurs with; without function words, unless it has no others. */
export function queryTerms(query: string): readonly QueryTerm[] {
  const terms = new Map<string, QueryTerm>();
  const add = (hash: TermHash, weight: number) => {
    const key = termKey(hash);
    if ((terms.get(key)?.weight ?? 0) < weight) terms.set(key, { ...hash, weight });
  };
  const text = query.slice(0, MAX_QUERY_CHARACTERS);
  scanTerms(text, (term) => add(hashTerm(term), WEIGHTS[term.role]));
  // Identifiers are indexed as they are, words by their stem: `getusers` may mean either.
  for (const [given] of text.matchAll(WORD)) {
    const word = given.toLowerCase();
    if (word.length >= MIN_NAME_CHARACTERS) add(hashText(word), WEIGHTS.word);
    for (const form of otherForms(word)) scanTerms(form, (term) => add(hashTerm(term), OTHER_FORM_WEIGHT));
    for (const other of relatedWords(word)) scanTerms(other, (term) => add(hashTerm(term), RELATED_WORD_WEIGHT));
  }
  const formsOf = inflecter(text);
  for (const [given] of text.matchAll(ANY_WORD)) {
    for (const form of formsOf(given.toLowerCase())) scanTerms(form, (term) => add(hashTerm(term), INFLECTED_WEIGHT));
  }
  const all = [...terms.values()];
  const telling = all.filter((term) => !isFunctionTerm(term));
  return telling.length > 0 ? telling : all;
}

/** What a term is known by in a map. */
export function termKey({ low, high }: TermHash): string {
  return `${low}.${high}`;
}

const functionTerms: ReadonlySet<string> = /* @__PURE__ */ new Set(/* @__PURE__ */ FUNCTION_WORDS.flatMap(termKeys));

/** Whether a term is a word that every sentence has. */
export function isFunctionTerm(hash: TermHash): boolean {
  return functionTerms.has(termKey(hash));
}

function termKeys(word: string): readonly string[] {
  const keys = [termKey(hashText(word))];
  scanTerms(word, (term) => keys.push(termKey(hashTerm(term))));
  return keys;
}
