import { assert } from "../../assert.ts";
import { ASIAN } from "./words/asian.ts";
import type { DecisionWords } from "./words/decision-words.ts";
import { GERMANIC } from "./words/germanic.ts";
import { ROMANCE } from "./words/romance.ts";
import { SLAVIC } from "./words/slavic.ts";

const LETTER = "[\\p{L}\\p{M}\\p{N}]";
// Bounds keep the time linear on any text.
const GAP = ".{1,60}?";
const ENDING = "[\\p{L}\\p{M}]{0,20}";

const ARABIC_VOWEL_SIGNS = /[\u064b-\u0652]/g;

// Pure, so that a bundle that never calls `holdsDecision` leaves out the words of all languages.
/** The words of all languages in which decisions are found. */
export const DECISION_WORDS = /* @__PURE__ */ Object.assign({}, GERMANIC, ROMANCE, SLAVIC, ASIAN);
const LANGUAGES: readonly DecisionWords[] = /* @__PURE__ */ Object.values(DECISION_WORDS);
const STATED = /* @__PURE__ */ compile(({ stated }) => stated);
const DENIED = /* @__PURE__ */ compile(({ denied }) => denied);

// A dot inside a name or a number ends no sentence.
const SENTENCE_END = /[.!?](?=[\s"'”’)\]*_`]|$)|[。！？؟।\n]/gu;
const QUESTION_MARKS = "?？؟";

/**
 * Whether a text states a decision, in any of the languages of {@link DECISION_WORDS}: it has a sentence with one of their phrases that is
 * no question and does not deny the decision. Linear on any input.
 */
export function holdsDecision(text: string): boolean {
  assert(typeof text === "string", "text", text, "a string");
  const normal = normalize(text);
  // most texts state no decision, and need not be split into sentences
  if (!STATED.test(normal)) return false;
  let start = 0;
  for (const { 0: mark, index } of normal.matchAll(SENTENCE_END)) {
    if (!QUESTION_MARKS.includes(mark) && states(normal.slice(start, index))) return true;
    start = index + mark.length;
  }
  return states(normal.slice(start));
}

function states(sentence: string): boolean {
  return STATED.test(sentence) && !DENIED.test(sentence);
}

function normalize(text: string): string {
  return text.normalize("NFC").toLowerCase().replaceAll("\u2019", "'").replace(ARABIC_VOWEL_SIGNS, "");
}

function compile(phrasesOf: (words: DecisionWords) => readonly string[]): RegExp {
  const phrases = (isSpaced: boolean) =>
    LANGUAGES.filter((words) => words.isSpaced === isSpaced)
      .flatMap(phrasesOf)
      .map(phrasePattern);
  return new RegExp(`(?<!${LETTER})(?:${phrases(true).join("|")})(?!${LETTER})|${phrases(false).join("|")}`, "u");
}

/** Besides `…` and `*`, phrases have letters, spaces, colons and apostrophes only, so that nothing needs escaping. */
function phrasePattern(phrase: string): string {
  return normalize(phrase).replaceAll(" … ", `(?:\\s|\\s${GAP}\\s)`).replaceAll("*", ENDING);
}
