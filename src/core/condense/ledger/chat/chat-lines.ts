import { asciiPattern, isAscii } from "../../../text/ascii.ts";
import { isConstraint } from "../../../text/constraint-words.ts";
import { keyOf } from "../../../text/line-key.ts";
import type { SourceLine } from "../source-lines.ts";
import { chatTerms } from "./chat-terms.ts";
import { CHAT_WORTH } from "./chat-worth.ts";
import { sentencesOf } from "./sentences.ts";

/** A sentence of a conversation with its terms and worth. */
export interface ChatLine extends SourceLine {
  /** Its terms, each once, without those that occur everywhere. */
  readonly identifiers: readonly string[];
  /** The terms that name someone or something, or hold a number. */
  readonly names: ReadonlySet<string>;
  /** Its worth by its kind, whoever says it. */
  readonly worth: number;
  /** Whether it says what must, must not or may only be done. */
  readonly binds: boolean;
}

const NAME = /(?<=[\p{Ll}\p{N},;:"“(][\s]{1,3}["“(]?)\p{Lu}[\p{L}\p{M}'’-]{1,40}/gu;
const DIGIT = /\p{N}/u;

/** Reads the sentences of a line. */
export type ChatReader = (line: SourceLine) => readonly ChatLine[];

/** Reads lines of people who talk to each other: a line is cut into sentences only where it is long, as it belongs together. */
export const readTurns = /* @__PURE__ */ createReader(320);
/** Reads lines of a person who talks to a model: one sentence may tell something about the person, and the next one ask. */
export const readSentences = /* @__PURE__ */ createReader(200);

/** Caches the sentences of each line. */
function createReader(shortCharacters: number): ChatReader {
  const known = new WeakMap<SourceLine, readonly ChatLine[]>();
  return (line) => {
    const cached = known.get(line);
    if (cached !== undefined) return cached;
    const lines = sentencesOf(line.text, shortCharacters).map((sentence) => readSentence(sentence, line));
    known.set(line, lines);
    return lines;
  };
}

function readSentence(text: string, line: SourceLine): ChatLine {
  const terms = chatTerms(text);
  const symbols = line.identifiers.filter((identifier) => text.includes(identifier));
  const patterns = isAscii(text) ? ASCII_PATTERNS : PATTERNS;
  const nameTerms = new Set<string>();
  for (const name of text.match(NAME) ?? []) for (const term of chatTerms(name)) nameTerms.add(term);
  for (const symbol of symbols) for (const term of chatTerms(symbol)) nameTerms.add(term);
  const names = new Set<string>();
  for (const term of terms) if (nameTerms.has(term) || DIGIT.test(term)) names.add(term);
  const key = text === line.text ? line.key : keyOf(text);
  // A share of the line's tokens, as counting each sentence would take longer than all the rest.
  const tokens = (line.tokens * text.length) / Math.max(1, line.text.length);
  const identifiers = [...terms];
  const worth =
    worthOf(text, { patterns, terms: identifiers.length, hasNames: names.size > 0 }) +
    (symbols.length > 0 ? CHAT_WORTH.symbol : 0);
  return { text, key, code: key, tokens, identifiers, isBare: false, names, worth, binds: isConstraint(text) };
}

const FIRST_PERSON =
  /(?<![\p{L}\p{N}])(?:i|my|mine|myself|me|we|our|us|ich|mein|meine|meinen|wir|unser|unsere|je|mon|mes|nous|notre|yo|mis|nosotros|nuestro|nuestra|eu|meu|minha|nós|io|mio|mia|noi|я|мой|моя|мне|мы|наш)(?![\p{L}\p{N}])|[我私俺僕]|저는|제가|나는|내가/iu;
const SECOND_PERSON = /(?<![\p{L}\p{N}])(?:you|your|yours)(?![\p{L}\p{N}])/iu;
const NUMBER =
  /[\p{N}]|(?<![\p{L}\p{N}])(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred|thousand|half|dozen|first|second|third)(?![\p{L}\p{N}])/iu;
const QUESTION = /[?？]["'”’)\]]{0,3}$/;
/** A sentence with fewer terms says nothing, unless one of them is a name. */
const LEAST_TERMS = 2;
/** With fewer terms, a sentence is worth less in proportion, and so is what it tells of the speaker: `I needed that` tells nothing. */
const FULL_TERMS = 3;
const TELLING_TERMS = 4;

/** The patterns that look at each character of a text. */
const PATTERNS = { firstPerson: FIRST_PERSON, number: NUMBER };
const ASCII_PATTERNS: typeof PATTERNS = {
  firstPerson: /* @__PURE__ */ asciiPattern(FIRST_PERSON),
  number: /* @__PURE__ */ asciiPattern(NUMBER),
};

interface Sentence {
  readonly patterns: typeof PATTERNS;
  /** How many terms it has. */
  readonly terms: number;
  readonly hasNames: boolean;
}

function worthOf(text: string, { patterns, terms, hasNames }: Sentence): number {
  if (terms < LEAST_TERMS && !hasNames) return CHAT_WORTH.few;
  if (QUESTION.test(text)) return CHAT_WORTH.question;
  const person = patterns.firstPerson.test(text) ? CHAT_WORTH.firstPerson * Math.min(1, terms / TELLING_TERMS) : 0;
  const other = SECOND_PERSON.test(text) ? CHAT_WORTH.secondPerson : 0;
  const number = patterns.number.test(text) ? CHAT_WORTH.number : 0;
  return CHAT_WORTH.sentence * Math.min(1, terms / FULL_TERMS) + person + other + number;
}
