import { createStablePairTest } from "./stable-pairs.ts";
import type { TextBuffer } from "./text-buffer.ts";
import { buildTokenTrie } from "./token-trie.ts";
import { NO_TOKEN, type Vocabulary } from "./vocabulary.ts";

/** Counts the tokens of the piece of text between `start` and `end`, which must differ. */
export type CountPieceTokens = (text: TextBuffer, start: number, end: number) => number;

const KEPT_PIECE_BYTES = 1 << 12;

/**
 * Byte-pair encoding in time linear in the piece. A sequence of tokens is the encoding of its bytes exactly if every two
 * neighbours are a stable pair, so tokens are laid from left to right, the longest stable one first; where none is,
 * the one before is taken back and replaced by a shorter one. No two encodings end at the same place, so a place from which nothing
 * led on is dead for good and is entered once only.
 */
export function createPieceCounter(vocabulary: Vocabulary): CountPieceTokens {
  const { byteLength } = vocabulary;
  const { longestToken, shorterToken } = buildTokenTrie(vocabulary);
  const isStablePair = createStablePairTest(vocabulary);
  const keptTokens = new Int32Array(KEPT_PIECE_BYTES);
  const keptDead = new Uint8Array(KEPT_PIECE_BYTES + 1);

  return ({ bytes }, start, end) => {
    let candidate = longestToken(bytes, start, end);
    if (byteLength[candidate] === end - start) return 1;
    const fits = end - start <= KEPT_PIECE_BYTES;
    const tokens = fits ? keptTokens : new Int32Array(end - start);
    const dead = fits ? keptDead.fill(0, 0, end - start + 1) : new Uint8Array(end - start + 1);
    let count = 0;
    let at = start;
    for (;;) {
      while (candidate !== NO_TOKEN) {
        const isDead = dead[at + (byteLength[candidate] ?? 0) - start] === 1;
        if (!isDead && (count === 0 || isStablePair(tokens[count - 1] ?? 0, candidate))) break;
        candidate = shorterToken[candidate] ?? NO_TOKEN;
      }
      if (candidate === NO_TOKEN) {
        dead[at - start] = 1;
        const last = tokens[--count] ?? 0;
        at -= byteLength[last] ?? 0;
        const wasRepeat = count > 0 && tokens[count - 1] === last;
        candidate = wasRepeat ? longestToken(bytes, at, end) : (shorterToken[last] ?? NO_TOKEN);
      } else {
        tokens[count++] = candidate;
        const length = byteLength[candidate] ?? 0;
        at += length;
        if (at === end) return count;
        const repeatEnd = at + length;
        const mayRepeat =
          repeatEnd <= end &&
          dead[repeatEnd - start] === 0 &&
          repeats(bytes, at, length) &&
          isStablePair(candidate, candidate);
        if (!mayRepeat) candidate = longestToken(bytes, at, end);
      }
    }
  };
}

function repeats(bytes: Uint8Array, at: number, length: number): boolean {
  for (let next = at; next < at + length; next++) {
    if (bytes[next] !== bytes[next - length]) return false;
  }
  return true;
}
