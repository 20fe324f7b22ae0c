import { assert } from "../../assert.ts";
import { type CountPieceTokens, createPieceCounter } from "./count-piece-tokens.ts";
import { rememberPieceCounts } from "./piece-cache.ts";
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
    countPieceTokens: rememberPieceCounts(createPieceCounter(decodeVocabulary(merges, checksum))),
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
