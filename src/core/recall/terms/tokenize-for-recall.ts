import { assert } from "../../assert.ts";
import { scanTerms, type TermCursor } from "./scan-terms.ts";

/**
 * The terms by which recall finds a text, in order and with repetitions, in linear time.
 *
 * Identifiers give themselves in small letters, the names inside them and their words: paths, file names with and
 * without extension, dotted, camelCase, snake_case and kebab-case names, flags without dashes, codes with their numbers.
 * Words lose plural, -ed, -ing and a last -e. Diacritics and full-width forms are folded. Scripts without spaces
 * (Chinese, Japanese, Korean, Thai …) give pairs of characters. Single letters, and runs of more than 256 characters
 * without a break, give nothing.
 */
export function tokenizeForRecall(text: string): readonly string[] {
  assert(typeof text === "string", "text", text, "a string");
  const terms: string[] = [];
  scanTerms(text, (term) => {
    terms.push(termText(term));
  });
  return terms;
}

/** The current term as a string. */
export function termText({ units, start, end }: TermCursor): string {
  return String.fromCharCode(...units.subarray(start, end));
}
