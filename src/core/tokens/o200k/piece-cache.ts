import type { CountPieceTokens } from "./count-piece-tokens.ts";

const SLOT_BITS = 15;
const WORDS_PER_KEY = 4;

/** A key is the piece in sixteen bytes, of which the last holds its length. */
const MAX_PIECE_BYTES = 15;

/** For each piece length, which bits of the four words belong to the piece. */
const WORD_MASKS = Int32Array.from({ length: (MAX_PIECE_BYTES + 1) * WORDS_PER_KEY }, (_, index) => {
  const pieceBytes = Math.floor(index / WORDS_PER_KEY);
  const ownBytes = Math.min(4, pieceBytes - 4 * (index % WORDS_PER_KEY));
  return ownBytes === 4 ? -1 : (1 << (8 * Math.max(0, ownBytes))) - 1;
});

/** The same counter, remembering the counts of short pieces: text is made of few distinct ones. */
export function rememberPieceCounts(countPieceTokens: CountPieceTokens): CountPieceTokens {
  const keys = new Int32Array(WORDS_PER_KEY << SLOT_BITS);
  const counts = new Uint8Array(1 << SLOT_BITS);

  return (text, start, end) => {
    const length = end - start;
    if (length > MAX_PIECE_BYTES) return countPieceTokens(text, start, end);
    const { view } = text;
    const masks = length * WORDS_PER_KEY;
    const word0 = view.getInt32(start, true) & (WORD_MASKS[masks] ?? 0);
    const word1 = view.getInt32(start + 4, true) & (WORD_MASKS[masks + 1] ?? 0);
    const word2 = view.getInt32(start + 8, true) & (WORD_MASKS[masks + 2] ?? 0);
    const word3 = (view.getInt32(start + 12, true) & (WORD_MASKS[masks + 3] ?? 0)) | (length << 24);
    const slot = hash(word0, word1, word2, word3) >>> (32 - SLOT_BITS);
    const key = slot * WORDS_PER_KEY;
    if (keys[key] === word0 && keys[key + 1] === word1 && keys[key + 2] === word2 && keys[key + 3] === word3) {
      return counts[slot] ?? 0;
    }
    const count = countPieceTokens(text, start, end);
    keys[key] = word0;
    keys[key + 1] = word1;
    keys[key + 2] = word2;
    keys[key + 3] = word3;
    counts[slot] = count;
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
