import { assert } from "../../assert.ts";
import { DECISION_WORDS } from "./decision-words.ts";
import type { DecisionWords } from "./words/decision-words.ts";

const LETTER = "[\\p{L}\\p{M}\\p{N}]";
// Bounds keep the time linear on any text.
const GAP = ".{1,60}?";
const ENDING = "[\\p{L}\\p{M}]{0,20}";

const ARABIC_VOWEL_SIGNS = /[\u064b-\u0652]/g;

// Pure, so that a bundle in which nobody asks leaves the words of all languages out.
const LANGUAGES: readonly DecisionWords[] = /* @__PURE__ */ Object.values(DECISION_WORDS);
const STATED = /* @__PURE__ */ compile(({ stated }) => stated);
const DENIED = /* @__PURE__ */ compile(({ denied }) => denied);

// A stop inside a name or a number ends nothing.
const SENTENCE_END = /[.!?](?=[\s"'”’)\]*_`]|$)|[。！？؟।\n]/gu;
const QUESTION_MARKS = "?？؟";

/**
 * Whether a text states a decision, in any of the languages of the table: a sentence that says so, that is no question
 * and does not say that nothing is decided yet. Linear on any input.
 */
export function holdsDecision(text: string): boolean {
  assert(typeof text === "string", "text", text, "a string");
  const normal = normalize(text);
  // most texts hold none, and need no cutting into sentences
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

/** Phrases have letters, spaces, colons and apostrophes besides the two signs of the table: nothing that needs escaping. */
function phrasePattern(phrase: string): string {
  return normalize(phrase).replaceAll(" … ", `(?:\\s|\\s${GAP}\\s)`).replaceAll("*", ENDING);
}
