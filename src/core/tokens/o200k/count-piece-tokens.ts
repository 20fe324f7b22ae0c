import { createStablePairTest } from "./stable-pairs.ts";
import type { TextBuffer } from "./text-buffer.ts";
import { buildTokenTrie } from "./token-trie.ts";
import { NO_TOKEN, type Vocabulary } from "./vocabulary.ts";

/** Counts the tokens of the piece of text between `start` and `end`, which must differ. */
export type CountPieceTokens = (text: TextBuffer, start: number, end: number) => number;

/** Scratch space of more than this is not kept. */
const KEPT_PIECE_BYTES = 1 << 12;

/**
 * Byte-pair encoding in time linear in the length of the piece. A sequence of tokens is the encoding of its bytes
 * exactly if every two neighbours are a stable pair. So tokens are laid from left to right, the longest that is stable
 * first; where none is, the one before is taken back for a shorter one. No two encodings end at the same place, so a
 * place that led nowhere is dead for good and is never entered twice.
 */
export function createPieceCounter(vocabulary: Vocabulary): CountPieceTokens {
  const { byteLength } = vocabulary;
  const { longestToken, shorterToken } = buildTokenTrie(vocabulary);
  const isStablePair = createStablePairTest(vocabulary);
  const keptTokens = new Int32Array(KEPT_PIECE_BYTES);
  const keptDead = new Uint8Array(KEPT_PIECE_BYTES + 1);

  return ({ bytes }, start, end) => {
    const pieceBytes = end - start;
    let candidate = longestToken(bytes, start, end);
    if (byteLength[candidate] === pieceBytes) return 1;
    const isShort = pieceBytes <= KEPT_PIECE_BYTES;
    const tokens = isShort ? keptTokens : new Int32Array(pieceBytes);
    const dead = isShort ? keptDead.fill(0, 0, pieceBytes + 1) : new Uint8Array(pieceBytes + 1);
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
        continue;
      }
      tokens[count++] = candidate;
      at += byteLength[candidate] ?? 0;
      if (at === end) return count;
      // in a long run the same token comes again, and trying all longer ones first would take a hundred times as long
      const length = byteLength[candidate] ?? 0;
      const canRepeat =
        at + length <= end &&
        dead[at + length - start] === 0 &&
        isRepeated(bytes, at, length) &&
        isStablePair(candidate, candidate);
      if (!canRepeat) candidate = longestToken(bytes, at, end);
    }
  };
}

function isRepeated(bytes: Uint8Array, at: number, length: number): boolean {
  for (let next = at; next < at + length; next++) {
    if (bytes[next] !== bytes[next - length]) return false;
  }
  return true;
}
