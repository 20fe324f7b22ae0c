import { assert, assertArray, assertNumber, assertObject } from "../assert.ts";
import type { Message } from "../message/message.ts";
import type { CondensationValidator } from "../ports/condensation.ts";
import { messageTexts } from "../text/message-texts.ts";
import { hiddenMessages } from "./hidden-messages.ts";
import { copiedShare, countWords, distinctShare, tokensOf } from "./text-measures.ts";

export interface SummaryQualityOptions {
  /** The least number of words; fewer are enough where less than ten times as many were hidden. @default 20 */
  readonly minWords?: number;
  /** Headings that the prompt asked for; at least half of them must be in the summary. @default none */
  readonly requiredHeadings?: readonly string[];
  /** Texts that a model may repeat instead of answering, such as the condensing prompt. @default none */
  readonly prompts?: readonly string[];
}

const DEFAULT_MIN_WORDS = 20;
const MIN_HEADING_SHARE = 0.5;
/** A good summary may have a tenth of the words that it hides, hardly fewer. */
const WORDS_HIDDEN_PER_WORD = 10;
/** A longer text is not a refusal, even if it begins like one. */
const MAX_REFUSAL_WORDS = 100;
const ECHO_RUN = 5;
const ECHO_SHARE = 0.9;
const REPETITION_RUN = 4;
const MIN_TOKENS_TO_REPEAT = 40;
const MIN_DISTINCT_SHARE = 0.3;

/**
 * Creates a validator that refuses a text that is no summary: a blank text, a refusal, an echo, a loop, a few words, or one without the required headings.
 * @example
 * ```ts
 * import { summaryQualityValidator } from "palimpsest";
 * const { isValid, issues } = summaryQualityValidator().validate([], [], "I cannot help with that.");
 * console.log(isValid, issues.length > 0); // false true
 * ```
 */
export function summaryQualityValidator(options: SummaryQualityOptions = {}): CondensationValidator {
  assertObject("options", options);
  const { minWords = DEFAULT_MIN_WORDS, requiredHeadings = [], prompts = [] } = options;
  assertNumber("minWords", minWords, 0);
  assertTexts("requiredHeadings", requiredHeadings);
  assertTexts("prompts", prompts);
  return {
    name: "summary-quality",
    // A condenser without a model quotes the log, which may well repeat itself.
    judges: "models",
    validate(original, condensed, summary) {
      const tokens = tokensOf(summary);
      const flaw =
        (tokens.length === 0 ? "The summary is blank." : undefined) ??
        findRefusal(summary, tokens) ??
        findEcho(tokens, [...prompts, lastText(original)]) ??
        findRepetition(summary, tokens) ??
        findThinness(tokens, hiddenMessages(original, condensed), minWords);
      if (flaw !== undefined) return { isValid: false, issues: [flaw], score: 0 };
      const missing = missingHeadings(summary, requiredHeadings);
      const score = requiredHeadings.length === 0 ? 1 : 1 - missing.length / requiredHeadings.length;
      return {
        isValid: score >= MIN_HEADING_SHARE,
        issues: missing.map((name) => `The part "${name}" is missing.`),
        score,
      };
    },
  };
}

function assertTexts(name: string, value: unknown): void {
  assertArray(name, value);
  assert(
    value.every((item) => typeof item === "string"),
    name,
    value,
    "an array of strings",
  );
}

function findRefusal(summary: string, tokens: readonly string[]): string | undefined {
  if (countWords(tokens) >= MAX_REFUSAL_WORDS) return undefined;
  const letters = summary.search(/\p{L}/u);
  const start = summary
    .slice(letters, letters + 100)
    .toLowerCase()
    .replaceAll("\u2019", "'");
  const phrase = REFUSAL_PHRASES.find((each) => start.startsWith(each));
  return phrase === undefined ? undefined : `The summary is a refusal: it begins with "${phrase.trim()}".`;
}

function findEcho(tokens: readonly string[], sources: readonly string[]): string | undefined {
  const run = Math.min(ECHO_RUN, tokens.length);
  const isEcho = sources.some((source) => copiedShare(tokens, tokensOf(source), run) >= ECHO_SHARE);
  return isEcho ? "The summary repeats the prompt or the last message." : undefined;
}

function findRepetition(summary: string, tokens: readonly string[]): string | undefined {
  if (tokens.length < MIN_TOKENS_TO_REPEAT) return undefined;
  const lines = summary.split("\n").flatMap((line) => (/\p{L}/u.test(line) ? [line.trim()] : []));
  const lineShare = lines.length < 5 ? 1 : new Set(lines).size / lines.length;
  const share = Math.min(lineShare, distinctShare(tokens, REPETITION_RUN));
  if (share >= MIN_DISTINCT_SHARE) return undefined;
  return `The summary repeats itself: only ${Math.round(100 * share)} % of it differs from the rest.`;
}

function findThinness(tokens: readonly string[], hidden: readonly Message[], minWords: number): string | undefined {
  const words = countWords(tokens);
  if (words >= minWords) return undefined;
  let hiddenWords = 0;
  for (const text of messageTexts(hidden)) {
    hiddenWords += countWords(tokensOf(text));
    if (hiddenWords >= minWords * WORDS_HIDDEN_PER_WORD) break;
  }
  const needed = Math.min(minWords, Math.ceil(hiddenWords / WORDS_HIDDEN_PER_WORD));
  return words >= needed
    ? undefined
    : `The summary has ${words} words; at least ${needed} are needed for what it hides.`;
}

function lastText(messages: readonly Message[]): string {
  return [...messageTexts(messages.slice(-1))].join("\n");
}

/** The beginnings of replies in which models decline or have nothing to say; in lower case, with straight apostrophes. */
const REFUSAL_PHRASES: readonly string[] = [
  ...["i'm sorry", "i am sorry", "sorry, ", "sorry but", "my apologies", "i apologize", "i apologise", "as an ai"],
  ...["i cannot", "i can't", "i can not", "i am unable", "i'm unable", "i am not able", "i'm not able", "i won't"],
  ...["unfortunately, i", "i don't have enough", "i don't have access", "i don't see any", "please provide"],
  ...["there is no conversation", "there's no conversation", "no conversation", "as a language model"],
  ...["es tut mir leid", "leider kann ich", "ich kann das nicht", "ich kann diese", "entschuldigung"],
  ...["je suis désolé", "désolé", "je ne peux pas", "malheureusement, je", "lo siento", "no puedo", "desculpe"],
  ...["não posso", "sinto muito", "mi dispiace", "non posso", "het spijt me", "ik kan niet", "przykro mi"],
  ...["извините", "простите", "к сожалению, я", "я не могу", "抱歉", "很抱歉", "非常抱歉", "对不起", "對不起"],
  ...["我无法", "我無法", "我不能", "申し訳", "すみません", "ごめんなさい", "죄송"],
];

const MAX_LINE_CHARACTERS = 200;

/** The headings with which no line of the text begins, apart from marks, numbers and tags. */
function missingHeadings(text: string, headings: readonly string[]): readonly string[] {
  if (headings.length === 0) return [];
  const lines = text.split("\n").map((line) => bare(line.slice(0, MAX_LINE_CHARACTERS)));
  return headings.filter((heading) => {
    const wanted = bare(heading);
    return !lines.some((line) => line === wanted || line.startsWith(`${wanted} `));
  });
}

/** A heading without markup: the same for `## 2. Key_Concepts:`, `<key_concepts>` and `Key concepts`. */
function bare(line: string): string {
  const words = line
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return words.replace(/^\d{1,3} /, "");
}
