import { LINE_END } from "../../condense/ledger/cut-lines.ts";
import type { Candidate } from "../../condense/ledger/pack-lines.ts";
import { identifierValues } from "../../text/identifiers.ts";
import { keyOf } from "../../text/line-key.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { wordBreakAfter, wordBreakBefore } from "./words.ts";
import { xmlText } from "./xml.ts";

/** A longer line is quoted by pieces. */
const MAX_CHARACTERS = 400;

// In units of one identifier: what a text begins with says what it is about, and what it ends with is its latest.
const FIRST_LINE_WORTH = 2;
const ANY_LINE_WORTH = 0.05;
const LAST_LINE_WORTH = 0.2;

/** The lines of a text, each once, with what they are worth when not all of them can be shown, and what they cost in XML. */
export function quotableLines(text: string): readonly Candidate[] {
  const lines = new Map<string, string>();
  for (const line of text.split(LINE_END)) {
    for (const piece of pieces(line.trimEnd())) {
      const key = keyOf(piece);
      // Of lines that say the same, the last one.
      lines.delete(key);
      if (key !== "") lines.set(key, piece);
    }
  }
  return Array.from(lines, ([key, line], index): Candidate => {
    const identifiers = identifierValues(line);
    const worth = ANY_LINE_WORTH + LAST_LINE_WORTH * (index / lines.size);
    return {
      line: { text: line, key, code: key, tokens: countTextTokens(`${xmlText(line)}\n`), identifiers, isBare: false },
      identifiers,
      value: index === 0 ? FIRST_LINE_WORTH : worth,
      group: 0,
    };
  });
}

/** Cut between words; a run that is longer than a piece and has no place to cut it is data, and is not quoted. */
function* pieces(line: string): Generator<string> {
  for (let start = 0; start < line.length; ) {
    const isRest = line.length - start <= MAX_CHARACTERS;
    const end = isRest ? line.length : wordBreakBefore(line, start + MAX_CHARACTERS, start);
    if (end > start) yield start === 0 ? line.slice(0, end).trimEnd() : line.slice(start, end).trim();
    start = end > start ? end : wordBreakAfter(line, start + MAX_CHARACTERS);
  }
}
