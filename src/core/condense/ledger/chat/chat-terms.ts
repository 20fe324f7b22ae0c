import { asciiPattern, isAscii } from "../../../text/ascii.ts";

/** English function words and fillers. Such words of other languages get a low weight because they occur everywhere. */
const EMPTY_WORDS = [
  ...["the", "and", "but", "for", "nor", "not", "are", "was", "were", "been", "being", "has", "had", "have", "having"],
  ...[
    "does",
    "did",
    "doing",
    "done",
    "can",
    "could",
    "should",
    "would",
    "will",
    "shall",
    "may",
    "might",
    "must",
    "let",
  ],
  ...["that", "this", "these", "those", "then", "than", "there", "here", "they", "them", "their", "you", "your", "she"],
  ...["her", "his", "him", "its", "our", "who", "whom", "what", "when", "where", "which", "why", "how", "with", "from"],
  ...["into", "onto", "about", "after", "before", "because", "while", "until", "since", "also", "just", "only", "even"],
  ...["all", "any", "each", "every", "both", "some", "such", "more", "most", "much", "many", "other", "same", "own"],
  ...[
    "too",
    "out",
    "off",
    "over",
    "under",
    "again",
    "once",
    "one",
    "get",
    "got",
    "make",
    "made",
    "come",
    "came",
    "take",
  ],
  ...[
    "want",
    "need",
    "look",
    "try",
    "use",
    "way",
    "ain",
    "don",
    "didn",
    "doesn",
    "isn",
    "wasn",
    "won",
    "ll",
    "ve",
    "re",
  ],
  ...["yes", "yeah", "yep", "yup", "nope", "okay", "ok", "sure", "oh", "ah", "hmm", "um", "uh", "mm", "hi", "hello"],
  ...["hey", "bye", "thanks", "thank", "nice", "good", "great", "cool", "wow", "glad", "lol", "haha", "fine", "well"],
  ...["right", "really", "very", "see", "say", "said", "sound", "know", "think", "mean", "guess", "like", "maybe"],
  ...["gonna", "wanna", "go", "thing", "something", "anything", "lot", "kind", "sort", "bit", "actually", "basically"],
  ...["pretty", "quite", "sorry", "please", "still", "now", "lets"],
];

const RUN = /[\p{L}\p{M}\p{N}]+/gu;
const ASCII_RUN = /* @__PURE__ */ asciiPattern(RUN);
/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const NUMBER = /\p{N}/u;
const LEAST_CHARACTERS = 3;
const MAX_CHARACTERS = 64;

const ENDING = /(?:ies|ing|ed|es|s|e)$/;
// Pure, so that bundles of programs that write no ledger leave the list out.
const emptyTerms = /* @__PURE__ */ new Set(/* @__PURE__ */ EMPTY_WORDS.flatMap((word) => [word, stem(word)]));

/** The distinct terms of a text: words without their endings; pairs of characters in scripts without spaces. */
export function chatTerms(text: string): ReadonlySet<string> {
  const terms = new Set<string>();
  const isPlain = isAscii(text);
  for (const run of text.toLowerCase().match(isPlain ? ASCII_RUN : RUN) ?? []) {
    if (!isPlain && UNSPACED.test(run)) {
      for (let at = 0; at + 1 < run.length; at++) terms.add(run.slice(at, at + 2));
      continue;
    }
    const term = stem(run.slice(0, MAX_CHARACTERS));
    if ((term.length >= LEAST_CHARACTERS || NUMBER.test(term)) && !emptyTerms.has(term)) terms.add(term);
  }
  return terms;
}

/** A word without its ending, roughly: "moved" and "moving" become one. */
function stem(word: string): string {
  const short = word.replace(ENDING, "");
  return short.length >= LEAST_CHARACTERS ? short : word;
}
