import { flagsAt, HEAD, NEWLINE, NUMBER, nextCharacter, SYMBOL, TAIL, WHITESPACE } from "./character-classes.ts";
import { END_OF_TEXT } from "./text-buffer.ts";

const SPACE = 0x20;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;
const LOWER_CASE_BIT = 0x20;

/**
 * The end of the piece that starts at `start`, as the pattern of o200k_base splits text. Each character is read a bounded
 * number of times, where the regular expression would backtrack over the same run again and again.
 */
export function findPieceEnd(bytes: Uint8Array, start: number): number {
  const flags = flagsAt(bytes, start);
  if ((flags & NUMBER) !== 0) return endOfNumber(bytes, start);
  if ((flags & NEWLINE) === 0) {
    const wordEnd = endOfWord(bytes, start);
    if (wordEnd > start) return wordEnd;
    const symbols = bytes[start] === SPACE ? start + 1 : start;
    if ((flagsAt(bytes, symbols) & SYMBOL) !== 0) return endOfSymbols(bytes, symbols);
  }
  return endOfWhitespace(bytes, start);
}

/**
 * The end of a word: heads, then tails, with an optional other character before and an optional contraction after; `start` where
 * there is no word. Where no small letter follows the heads, the word ends after the last head that is also a tail, if there is one.
 */
function endOfWord(bytes: Uint8Array, start: number): number {
  const firstFlags = flagsAt(bytes, start);
  const isPrefix = (firstFlags & (SYMBOL | WHITESPACE)) !== 0;
  const letters = isPrefix ? nextCharacter(bytes, start) : start;
  let at = letters;
  let lastTailEnd = start;
  let flags = flagsAt(bytes, at);
  while ((flags & HEAD) !== 0) {
    at = nextCharacter(bytes, at);
    if ((flags & TAIL) !== 0) lastTailEnd = at;
    flags = flagsAt(bytes, at);
  }
  if ((flags & TAIL) !== 0) return endOfContraction(bytes, endOfRun(bytes, at, TAIL));
  if (lastTailEnd > start) return endOfContraction(bytes, lastTailEnd);
  // a mark with no tail to be the prefix of is a word by itself
  if (isPrefix && (firstFlags & TAIL) !== 0) return endOfContraction(bytes, letters);
  return at > letters ? endOfContraction(bytes, at) : start;
}

/** The end of 's 't 'm 'd 're 've 'll in either case, or `at` where none of them is. */
function endOfContraction(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== APOSTROPHE) return at;
  const first = bytes[at + 1] ?? END_OF_TEXT;
  const second = bytes[at + 2] ?? END_OF_TEXT;
  switch (first | LOWER_CASE_BIT) {
    case 0x73: // s
    case 0x74: // t
    case 0x6d: // m
    case 0x64: // d
      return at + 2;
    case 0x72: // re
    case 0x76: // ve
      return (second | LOWER_CASE_BIT) === 0x65 ? at + 3 : at;
    case 0x6c: // ll
      return (second | LOWER_CASE_BIT) === 0x6c ? at + 3 : at;
  }
  // the long s, U+017F, is an s where case does not matter
  return first === 0xc5 && second === 0xbf ? at + 3 : at;
}

function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let digits = 0; digits < 3 && (flagsAt(bytes, at) & NUMBER) !== 0; digits++) at = nextCharacter(bytes, at);
  return at;
}

function endOfSymbols(bytes: Uint8Array, start: number): number {
  let at = endOfRun(bytes, start, SYMBOL);
  while (bytes[at] === SLASH || (flagsAt(bytes, at) & NEWLINE) !== 0) at++;
  return at;
}

/** The end of the run's last newline; without one, the end of the run but for its last character, which belongs to the next piece. */
function endOfWhitespace(bytes: Uint8Array, start: number): number {
  let at = start;
  let lastCharacter = start;
  let lastNewlineEnd = start;
  let flags = flagsAt(bytes, at);
  while ((flags & WHITESPACE) !== 0) {
    lastCharacter = at;
    at = nextCharacter(bytes, at);
    if ((flags & NEWLINE) !== 0) lastNewlineEnd = at;
    flags = flagsAt(bytes, at);
  }
  if (lastNewlineEnd > start) return lastNewlineEnd;
  return bytes[at] === END_OF_TEXT || lastCharacter === start ? at : lastCharacter;
}

function endOfRun(bytes: Uint8Array, start: number, flag: number): number {
  let at = start;
  while ((flagsAt(bytes, at) & flag) !== 0) at = nextCharacter(bytes, at);
  return at;
}
