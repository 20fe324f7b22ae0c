/**
 * Writes the o200k_base vocabulary and character classes that the token counter ships, from the `tiktoken` package.
 *
 * Classes are asked of that package's own regular-expression engine: Node's Unicode tables are of another version.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Tiktoken } from "tiktoken";
import { checksumOf, FIRST_DIGIT, SINGLE_BYTES } from "../src/core/tokens/o200k/vocabulary.ts";

const TARGET_FOLDER = new URL("../src/core/tokens/o200k/", import.meta.url);
const HEADER = "// Made by scripts/build-vocabulary.ts. Do not edit.\n";

const CODE_POINTS = 0x110000;

/** By the letters that src/core/tokens/o200k/character-classes.ts reads; "R" is a line end, "S" all that is left. */
const CLASS_PATTERNS = {
  U: "[\\p{Lu}\\p{Lt}]",
  L: "\\p{Ll}",
  B: "[\\p{Lm}\\p{Lo}]",
  M: "\\p{M}",
  N: "\\p{N}",
  W: "\\s",
  R: "[\\r\\n]",
};

/** Tokens as one-character-per-byte strings, in order of rank. */
function readTokens(): string[] {
  const path = createRequire(import.meta.url).resolve("tiktoken/encoders/o200k_base.json");
  const { bpe_ranks: ranks }: { bpe_ranks: string } = JSON.parse(readFileSync(path, "utf8"));
  const [name, firstRank, ...tokens] = ranks.split(" ");
  if (name !== "!" || firstRank !== "0" || ranks.includes("\n"))
    throw new Error(`${path}: not one run of ranks from 0`);
  return tokens.map((token) => Buffer.from(token, "base64").toString("latin1"));
}

/** The two parts that `token` is in just before its last merge, made as an encoder would: lowest rank first. */
function lastMerge(token: string, rankOf: ReadonlyMap<string, number>): readonly [string, string] {
  const parts = [...token];
  while (parts.length > 2) {
    let lowestRank = Number.POSITIVE_INFINITY;
    let lowestAt = -1;
    for (let at = 0; at + 1 < parts.length; at++) {
      const rank = rankOf.get(`${parts[at]}${parts[at + 1]}`) ?? Number.POSITIVE_INFINITY;
      if (rank < lowestRank) {
        lowestRank = rank;
        lowestAt = at;
      }
    }
    if (lowestAt < 0) break;
    parts.splice(lowestAt, 2, `${parts[lowestAt]}${parts[lowestAt + 1]}`);
  }
  const [left, right, ...rest] = parts;
  if (left === undefined || right === undefined || rest.length > 0) {
    throw new Error(`Token ${JSON.stringify(token)} is not made by merges`);
  }
  return [left, right];
}

function threeDigits(value: number): string {
  return String.fromCharCode(
    FIRST_DIGIT + (value >> 12),
    FIRST_DIGIT + ((value >> 6) & 63),
    FIRST_DIGIT + (value & 63),
  );
}

/** Every token but the single bytes as the numbers of the two that it is merged from; a single byte is its own number. */
function encodeMerges(tokens: readonly string[]): string {
  const rankOf = new Map(tokens.map((token, rank) => [token, rank]));
  const numberOf = (part: string, below: number): number => {
    const rank = rankOf.get(part) ?? Number.POSITIVE_INFINITY;
    if (rank >= below) throw new Error(`Part ${JSON.stringify(part)} ranks after the token it makes`);
    return rank < SINGLE_BYTES ? part.charCodeAt(0) : rank;
  };
  if (new Set(tokens.slice(0, SINGLE_BYTES).map((token) => token.charCodeAt(0))).size !== SINGLE_BYTES) {
    throw new Error("The first 256 tokens are not the single bytes");
  }
  return tokens
    .slice(SINGLE_BYTES)
    .map((token, index) => {
      const [left, right] = lastMerge(token, rankOf);
      const rank = SINGLE_BYTES + index;
      return threeDigits(numberOf(left, rank)) + threeDigits(numberOf(right, rank));
    })
    .join("");
}

/** The class letter of every code point, as "letter + run length in base 36" repeated. */
function encodeClasses(): string {
  const letters = new Array<string>(CODE_POINTS).fill("S");
  const everyCharacter = allCharacters();
  for (const [letter, pattern] of Object.entries(CLASS_PATTERNS)) {
    for (const character of charactersMatching(pattern, everyCharacter)) {
      letters[character.codePointAt(0) ?? 0] = letter;
    }
  }
  return letters.join("").replace(/(.)\1*/g, (run, letter: string) => `${letter}${run.length.toString(36)}`);
}

function allCharacters(): string {
  const isSurrogate = (codePoint: number) => codePoint >= 0xd800 && codePoint < 0xe000;
  return Array.from({ length: CODE_POINTS }, (_, codePoint) =>
    isSurrogate(codePoint) ? "" : String.fromCodePoint(codePoint),
  ).join("");
}

/** An encoder that knows only single bytes drops what its pattern does not match and spells out what it does. */
function charactersMatching(pattern: string, text: string): string {
  const bytes = Array.from({ length: SINGLE_BYTES }, (_, byte) => Buffer.from([byte]).toString("base64"));
  const encoder = new Tiktoken(`! 0 ${bytes.join(" ")}`, {}, pattern);
  const matched = Buffer.from(Uint8Array.from(encoder.encode(text, [], []))).toString("utf8");
  encoder.free();
  return matched;
}

function writeIfChanged(name: string, content: string): void {
  const file = new URL(name, TARGET_FOLDER);
  if (existsSync(file) && readFileSync(file, "utf8") === content) return;
  writeFileSync(file, content);
}

const merges = encodeMerges(readTokens());
writeIfChanged(
  "vocabulary.generated.ts",
  // a function: an engine compiles its text only when it is called
  `${HEADER}export function readMerges(): { readonly merges: string; readonly checksum: number } {
  const merges =
    ${JSON.stringify(merges)};
  return { merges, checksum: ${checksumOf(merges)} };
}
`,
);
writeIfChanged(
  "character-classes.generated.ts",
  `${HEADER}export const CHARACTER_CLASS_RUNS: string =\n  ${JSON.stringify(encodeClasses())};\n`,
);
