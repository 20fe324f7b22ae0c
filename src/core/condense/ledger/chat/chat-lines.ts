import { keyOf } from "../../../text/line-key.ts";
import { countTextTokens } from "../../../tokens/o200k/count-text-tokens.ts";
import type { SourceLine } from "../source-lines.ts";
import { chatTerms } from "./chat-terms.ts";
import { sentencesOf } from "./sentences.ts";

/** A sentence of a conversation, and what it tells by. */
export interface ChatLine extends SourceLine {
  /** Its terms, each once, without those that stand everywhere. */
  readonly identifiers: readonly string[];
  /** Those of its terms that name someone or something, or hold a number. */
  readonly names: ReadonlySet<string>;
}

const NAME = /(?<=[\p{Ll}\p{N},;:"“(][\s]{1,3}["“(]?)\p{Lu}[\p{L}\p{M}'’-]{1,40}/gu;
const NUMBER = /\p{N}/u;

/** Reads the sentences of a line. */
export type ChatReader = (line: SourceLine) => readonly ChatLine[];

/** What people say to each other in one go belongs together: it is cut only where it is long. */
export const readTurns = /* @__PURE__ */ createReader(320);
/** Of what a person asks a model, one sentence tells something about the person, and the next one asks. */
export const readSentences = /* @__PURE__ */ createReader(200);

/** Each line is read once. */
function createReader(shortCharacters: number): ChatReader {
  const known = new WeakMap<SourceLine, readonly ChatLine[]>();
  return (line) => {
    const cached = known.get(line);
    if (cached !== undefined) return cached;
    const lines = sentencesOf(line.text, shortCharacters).map(readSentence);
    known.set(line, lines);
    return lines;
  };
}

function readSentence(text: string): ChatLine {
  const terms = chatTerms(text);
  const capital = new Set([...text.matchAll(NAME)].flatMap(([name]) => [...chatTerms(name)]));
  const names = new Set([...terms].filter((term) => capital.has(term) || NUMBER.test(term)));
  const key = keyOf(text);
  return { text, key, code: key, tokens: countTextTokens(` ${text}`), identifiers: [...terms], isBare: false, names };
}
