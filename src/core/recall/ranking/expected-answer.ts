import type { Passage } from "../passages/prepare-block.ts";
import { ENTRY_SIZE, hashTerm } from "../passages/term-list.ts";
import { scanTerms } from "../terms/scan-terms.ts";

/** The factor for passages with the kind of thing that a question asks for. */
const ANSWER_WEIGHT = 1.12;

const TIME_WORDS = [
  "yesterday today tomorrow tonight week weekend month year day ago last next since recently soon",
  "morning evening night spring summer autumn winter",
  "monday tuesday wednesday thursday friday saturday sunday",
  "january february march april may june july august september october november december",
];
const NUMBER_WORDS = [
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty thirty forty fifty",
  "hundred thousand million dozen couple several half once twice",
];

const timeTerms = /* @__PURE__ */ hashesOf(TIME_WORDS);
const numberTerms = /* @__PURE__ */ hashesOf(NUMBER_WORDS);

const ASKS_NUMBER = /\bhow (?:many|much|old|far|often|long|tall|big)\b|\bnumber of\b|\b(?:cost|price)\b/i;
const ASKS_TIME = /\bwhen\b|\b(?:what|which) (?:day|date|time|year|month)\b/i;
const ASKS_NAME = /^\s*(?:who|whose|whom|where|which|what)\b/i;

const DIGIT = /\p{N}/u;
/** A capital inside a sentence. */
const NAME = /[\p{Ll},;] \p{Lu}\p{Ll}/u;

/**
 * Returns the factor of a passage by what it has: for `how many` a number, for `when` a time, for `who` and `where` a name. The factor is
 * small, as questions of other kinds begin with the same words.
 */
export function answerWeigher(query: string): (passage: Passage) => number {
  const isHeld = heldBy(query);
  return isHeld === undefined ? () => 1 : (passage) => (isHeld(passage) ? ANSWER_WEIGHT : 1);
}

function heldBy(query: string): ((passage: Passage) => boolean) | undefined {
  if (ASKS_NUMBER.test(query)) return (passage) => holds(passage, numberTerms) || DIGIT.test(textOf(passage));
  if (ASKS_TIME.test(query)) return (passage) => holds(passage, timeTerms) || DIGIT.test(textOf(passage));
  if (ASKS_NAME.test(query)) return (passage) => NAME.test(textOf(passage));
  return undefined;
}

function textOf({ source, start, end }: Passage): string {
  return source.slice(start, end);
}

function holds({ terms }: Passage, wanted: ReadonlySet<number>): boolean {
  for (let at = terms.start; at < terms.end; at += ENTRY_SIZE) if (wanted.has(terms.entries[at] ?? 0)) return true;
  return false;
}

/** The lower halves of the terms' hashes, which are exact enough for so small a factor. */
function hashesOf(lists: readonly string[]): ReadonlySet<number> {
  const hashes = new Set<number>();
  for (const list of lists) scanTerms(list, (term) => hashes.add(hashTerm(term).low));
  return hashes;
}
