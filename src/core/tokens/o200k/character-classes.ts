import { CHARACTER_CLASS_RUNS } from "./character-classes.generated.ts";
import { END_OF_TEXT } from "./text-buffer.ts";

// The character classes of the splitting pattern, as flags. A mark is head, tail and symbol at once.
/** Lu, Lt, Lm, Lo, M: begins a word and goes on until its small letters. */
export const HEAD = 1;
/** Ll, Lm, Lo, M: the small letters that end a word. */
export const TAIL = 2;
export const NUMBER = 4;
export const WHITESPACE = 8;
export const NEWLINE = 16;
/** Neither letter, number nor whitespace. */
export const SYMBOL = 32;

/** The flags for each class letter that scripts/build-vocabulary.ts writes. */
const FLAGS_OF_CLASS: Readonly<Record<string, number>> = {
  U: HEAD,
  L: TAIL,
  B: HEAD | TAIL,
  M: HEAD | TAIL | SYMBOL,
  N: NUMBER,
  W: WHITESPACE,
  R: WHITESPACE | NEWLINE,
  S: SYMBOL,
};

const CODE_POINTS = 0x110000;
const FLAGS_BY_ASCII = unfoldRuns(128);
// A megabyte: built for the first character beyond ASCII, not when the module is imported.
let flagsByCodePoint: Uint8Array | undefined;

/** The flags of the first code points. Runs are written "class letter + length in base 36". */
function unfoldRuns(codePoints: number): Uint8Array {
  const flags = new Uint8Array(codePoints);
  let codePoint = 0;
  for (const [, letter = "", length = ""] of CHARACTER_CLASS_RUNS.matchAll(/([A-Z])([0-9a-z]+)/g)) {
    const end = codePoint + Number.parseInt(length, 36);
    flags.fill(FLAGS_OF_CLASS[letter] ?? SYMBOL, codePoint, end);
    codePoint = end;
    if (codePoint >= codePoints) break;
  }
  return flags;
}

/** The flags of the character that starts at `at`; none at the end of the text. */
export function flagsAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? END_OF_TEXT;
  return lead < 0x80 ? (FLAGS_BY_ASCII[lead] ?? 0) : flagsBeyondAscii(bytes, at, lead);
}

function flagsBeyondAscii(bytes: Uint8Array, at: number, lead: number): number {
  if (lead === END_OF_TEXT) return 0;
  flagsByCodePoint ??= unfoldRuns(CODE_POINTS);
  const second = (bytes[at + 1] ?? 0) & 0x3f;
  if (lead < 0xe0) return flagsByCodePoint[((lead & 0x1f) << 6) | second] ?? 0;
  const third = (bytes[at + 2] ?? 0) & 0x3f;
  if (lead < 0xf0) return flagsByCodePoint[((lead & 0x0f) << 12) | (second << 6) | third] ?? 0;
  const fourth = (bytes[at + 3] ?? 0) & 0x3f;
  return flagsByCodePoint[((lead & 0x07) << 18) | (second << 12) | (third << 6) | fourth] ?? 0;
}

/** Where the character after the one at `at` starts. */
export function nextCharacter(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? END_OF_TEXT;
  if (lead < 0x80) return at + 1;
  if (lead < 0xe0) return at + 2;
  return lead < 0xf0 ? at + 3 : at + 4;
}
