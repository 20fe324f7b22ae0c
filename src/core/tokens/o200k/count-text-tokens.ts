import { assert } from "../../assert.ts";
import { type CountPieceTokens, createPieceCounter } from "./count-piece-tokens.ts";
import { findPieceEnd } from "./split-pieces.ts";
import { createTextBuffer, findWindowEnd, type TextBuffer, WINDOW_UNITS, writeText } from "./text-buffer.ts";
import { readMerges } from "./vocabulary.generated.ts";
import { decodeVocabulary } from "./vocabulary.ts";

interface Counter {
  readonly countPieceTokens: CountPieceTokens;
  readonly windowBuffer: TextBuffer;
}

let sharedCounter: Counter | undefined;

/**
 * The exact number of o200k_base tokens of `text`, in time linear in its length. Special tokens are not recognised:
 * `<|endoftext|>` is text like any other. A lone surrogate counts as U+FFFD.
 * @example
 * ```ts
 * import { countTextTokens } from "palimpsest";
 * console.log(countTextTokens("How many tokens are these?")); // 6
 * console.log(countTextTokens("<|endoftext|>")); // 7
 * ```
 */
export function countTextTokens(text: string): number {
  assert(typeof text === "string", "text", text, "a string");
  sharedCounter ??= createCounter();
  let count = 0;
  for (let start = 0; start < text.length; ) {
    const end = findWindowEnd(text, start);
    count += countWindowTokens(sharedCounter, text.slice(start, end));
    start = end;
  }
  return count;
}

function createCounter(): Counter {
  const { merges, checksum } = readMerges();
  return {
    countPieceTokens: cachePieceCounts(createPieceCounter(decodeVocabulary(merges, checksum))),
    windowBuffer: createTextBuffer(WINDOW_UNITS),
  };
}

function countWindowTokens({ countPieceTokens, windowBuffer }: Counter, text: string): number {
  // a buffer for an unusually long window is not kept
  const buffer = text.length <= WINDOW_UNITS ? windowBuffer : createTextBuffer(text.length);
  const end = writeText(buffer, text);
  let count = 0;
  for (let start = 0; start < end; ) {
    const pieceEnd = findPieceEnd(buffer.bytes, start);
    count += countPieceTokens(buffer, start, pieceEnd);
    start = pieceEnd;
  }
  return count;
}

const SLOT_BITS = 15;
const WORDS_PER_SLOT = 4;

/** A slot of the cache has sixteen bytes: those of a piece, and a last one with its length and its count, four bits each. */
const MAX_PIECE_BYTES = 15;
const LENGTH_SHIFT = 24;
const COUNT_SHIFT = 28;

/** For each piece length, which bits of the four words belong to the piece. */
const WORD_MASKS = Int32Array.from({ length: (MAX_PIECE_BYTES + 1) * WORDS_PER_SLOT }, (_, index) => {
  const pieceBytes = Math.floor(index / WORDS_PER_SLOT);
  const ownBytes = Math.min(4, pieceBytes - 4 * (index % WORDS_PER_SLOT));
  return ownBytes === 4 ? -1 : (1 << (8 * Math.max(0, ownBytes))) - 1;
});

/** Caches the counts of short pieces, which text repeats often. Each slot keeps the newest piece that hashes to it. */
export function cachePieceCounts(countPieceTokens: CountPieceTokens): CountPieceTokens {
  const slots = new Int32Array(WORDS_PER_SLOT << SLOT_BITS);

  return (text, start, end) => {
    const length = end - start;
    if (length > MAX_PIECE_BYTES) return countPieceTokens(text, start, end);
    const { view } = text;
    const masks = length * WORDS_PER_SLOT;
    const word0 = view.getInt32(start, true) & (WORD_MASKS[masks] ?? 0);
    const word1 = view.getInt32(start + 4, true) & (WORD_MASKS[masks + 1] ?? 0);
    const word2 = view.getInt32(start + 8, true) & (WORD_MASKS[masks + 2] ?? 0);
    const word3 = (view.getInt32(start + 12, true) & (WORD_MASKS[masks + 3] ?? 0)) | (length << LENGTH_SHIFT);
    const at = (hash(word0, word1, word2, word3) >>> (32 - SLOT_BITS)) * WORDS_PER_SLOT;
    const lastWord = slots[at + 3] ?? 0;
    const isCached =
      slots[at] === word0 &&
      slots[at + 1] === word1 &&
      slots[at + 2] === word2 &&
      (lastWord & ~(-1 << COUNT_SHIFT)) === word3;
    if (isCached) return lastWord >>> COUNT_SHIFT;
    const count = countPieceTokens(text, start, end);
    slots[at] = word0;
    slots[at + 1] = word1;
    slots[at + 2] = word2;
    slots[at + 3] = word3 | (count << COUNT_SHIFT);
    return count;
  };
}

function hash(word0: number, word1: number, word2: number, word3: number): number {
  const mixed =
    Math.imul(word0, 0x9e3779b1) ^
    Math.imul(word1, 0x85ebca6b) ^
    Math.imul(word2, 0xc2b2ae35) ^
    Math.imul(word3, 0x27d4eb2f);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
}
