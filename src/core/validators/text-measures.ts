/** Only so many tokens of a text are measured. */
const MAX_TOKENS = 20_000;
const MAX_TOKEN_CHARACTERS = 64;

// Scripts that put no spaces between words: each character is a token of its own.
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}`;
const TOKENS = new RegExp(String.raw`[${UNSPACED}]|[[\p{L}\p{N}\p{M}_]--[${UNSPACED}]]+`, "gv");
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "v");

/** The first 20,000 tokens of a text: its words in lower case or, in scripts without spaces, its characters. */
export function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  for (const match of text.matchAll(TOKENS)) {
    tokens.push(match[0].slice(0, MAX_TOKEN_CHARACTERS).toLowerCase());
    if (tokens.length === MAX_TOKENS) break;
  }
  return tokens;
}

/** The number of words that these tokens are; two characters of a script without spaces count as one word. */
export function countWords(tokens: readonly string[]): number {
  return tokens.reduce((sum, token) => sum + (IS_UNSPACED.test(token) ? 0.5 : 1), 0);
}

/** The share of distinct runs of `length` tokens among all such runs: 1 for a text that never repeats itself. */
export function distinctShare(tokens: readonly string[], length: number): number {
  const runs = runsOf(tokens, length);
  return runs.length === 0 ? 1 : new Set(runs).size / runs.length;
}

/** The share of runs of `length` tokens that also occur in `source`: 1 for a text that is copied from it. */
export function copiedShare(tokens: readonly string[], source: readonly string[], length: number): number {
  const runs = runsOf(tokens, length);
  if (runs.length === 0) return 0;
  const sourceRuns = new Set(runsOf(source, length));
  return runs.filter((run) => sourceRuns.has(run)).length / runs.length;
}

function runsOf(tokens: readonly string[], length: number): readonly string[] {
  if (tokens.length < length) return [];
  return Array.from({ length: tokens.length - length + 1 }, (_, start) =>
    tokens.slice(start, start + length).join(" "),
  );
}
