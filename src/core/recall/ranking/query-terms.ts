import { ENGLISH_FUNCTION_WORDS, FUNCTION_WORDS } from "../../text/function-words.ts";
import { hashTerm, hashText, type TermHash } from "../passages/term-list.ts";
import { otherForms } from "../terms/irregular-forms.ts";
import { thingsOfKind } from "../terms/kinds-of-things.ts";
import { compoundParts, inflecter } from "../terms/other-endings.ts";
import { relatedWords } from "../terms/related-words.ts";
import { scanTerms, type TermRole } from "../terms/scan-terms.ts";

/** A term of a query and its weight. */
export interface QueryTerm extends TermHash {
  readonly weight: number;
}

/** The weights by role: a query with an identifier means that one, and the words inside it are only a help. */
const WEIGHTS: Readonly<Record<TermRole, number>> = { identifier: 2, word: 1, part: 0.5 };

/** How much of a query is read: a longer one is pasted text, and its topic is in its beginning. */
const MAX_QUERY_CHARACTERS = 10_000;

/** For irregular forms of a word: less than the word, as a form such as `left` or `saw` may belong to another word. */
const OTHER_FORM_WEIGHT = 0.8;
/** For related words, and for things of a kind: another word for a thing is often used for other things too. */
const RELATED_WORD_WEIGHT = 0.5;

/** For forms with guessed endings, which may be other words. */
const INFLECTED_WEIGHT = 0.7;

/** The factor for a name inside a sentence, which says more than a word. */
const NAME_WEIGHT = 1.5;
const NAME = /(?<=[\p{Ll},] )\p{Lu}\p{L}{2,40}/gu;

/** The factor for words that occur in questions about anything: they only decide where nothing else does. */
const LIGHT_WEIGHT = 0.35;
const LIGHT_WORDS = [
  "make made do done get got go going went gone take took taken having say said tell told think thought know knew",
  "want wanted keep kept come came put give gave thing things kind way currently really finally ever still usually",
  "always often many much last first new use used name called happen happened during work look find found",
].join(" ");
const QUESTION = /[?？]\s{0,9}$/;

/** The factor for function words of a language that few messages are in: they tell whose messages are meant. */
const FOREIGN_FUNCTION_WEIGHT = 0.5;

const WORD = /[A-Za-z]{2,}/g;
const ANY_WORD = /\p{L}{4,40}/gu;
const MIN_NAME_CHARACTERS = 4;

/**
 * The distinct terms of a query with related forms and words, each with its highest weight. Function words are left out unless the query has no other
 * terms, or they are not English and `isRare` says that few passages have them. `isRare` is given for a talk only, where a kind of things (`instrument`)
 * brings the things of this kind along (`cello`).
 */
export function queryTerms(query: string, isRare?: (term: TermHash) => boolean): readonly QueryTerm[] {
  const terms = new Map<string, QueryTerm>();
  const add = (hash: TermHash, weight: number) => {
    const key = termKey(hash);
    if ((terms.get(key)?.weight ?? 0) < weight) terms.set(key, { ...hash, weight });
  };
  const scale = (keys: ReadonlySet<string>, factor: number) => {
    for (const key of keys) {
      const term = terms.get(key);
      if (term !== undefined) terms.set(key, { ...term, weight: term.weight * factor });
    }
  };
  const text = query.slice(0, MAX_QUERY_CHARACTERS);
  scanTerms(text, (term) => add(hashTerm(term), WEIGHTS[term.role]));
  // Identifiers are indexed as they are, words by their stem: `getusers` may mean either.
  for (const [given] of text.matchAll(WORD)) {
    const word = given.toLowerCase();
    if (word.length >= MIN_NAME_CHARACTERS) add(hashText(word), WEIGHTS.word);
    for (const form of otherForms(word)) scanTerms(form, (term) => add(hashTerm(term), OTHER_FORM_WEIGHT));
    // In code, a tool is no hammer.
    const things = isRare === undefined ? [] : thingsOfKind(word);
    for (const other of [...relatedWords(word), ...things]) {
      scanTerms(other, (term) => add(hashTerm(term), RELATED_WORD_WEIGHT));
    }
  }
  const formsOf = inflecter(text);
  for (const [given] of text.matchAll(ANY_WORD)) {
    for (const form of formsOf(given.toLowerCase())) scanTerms(form, (term) => add(hashTerm(term), INFLECTED_WEIGHT));
  }
  for (const part of compoundParts(text)) scanTerms(part, (term) => add(hashTerm(term), INFLECTED_WEIGHT));
  for (const [name] of text.matchAll(NAME)) scale(termsIn(name), NAME_WEIGHT);
  if (QUESTION.test(text)) scale(lightTerms, LIGHT_WEIGHT);
  const all = [...terms.values()];
  const telling = all.filter((term) => !isFunctionTerm(term));
  if (telling.length === 0) return all;
  if (isRare === undefined) return telling;
  const rare = all.filter((term) => isForeignFunctionTerm(term) && isRare(term));
  return [...telling, ...rare.map((term) => ({ ...term, weight: term.weight * FOREIGN_FUNCTION_WEIGHT }))];
}

const lightTerms: ReadonlySet<string> = /* @__PURE__ */ termsIn(LIGHT_WORDS);

/** The key of a term in a map. */
export function termKey({ low, high }: TermHash): string {
  return `${low}.${high}`;
}

const functionTerms: ReadonlySet<string> = /* @__PURE__ */ new Set(/* @__PURE__ */ FUNCTION_WORDS.flatMap(termKeys));

/** Whether a term is a function word. */
export function isFunctionTerm(hash: TermHash): boolean {
  return functionTerms.has(termKey(hash));
}

const englishFunctionTerms: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ ENGLISH_FUNCTION_WORDS.flatMap(termKeys),
);

function isForeignFunctionTerm(hash: TermHash): boolean {
  return isFunctionTerm(hash) && !englishFunctionTerms.has(termKey(hash));
}

function termKeys(word: string): readonly string[] {
  return [termKey(hashText(word)), ...termsIn(word)];
}

function termsIn(text: string): ReadonlySet<string> {
  const keys = new Set<string>();
  scanTerms(text, (term) => keys.add(termKey(hashTerm(term))));
  return keys;
}
