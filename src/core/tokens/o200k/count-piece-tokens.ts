import type { TextBuffer } from "./text-buffer.ts";
import { buildTokenTrie } from "./token-trie.ts";
import { NO_TOKEN, SINGLE_BYTES, type Vocabulary } from "./vocabulary.ts";

/** Counts the tokens of the piece of text between `start` and `end`, which must differ. */
export type CountPieceTokens = (text: TextBuffer, start: number, end: number) => number;

/** Scratch buffers for pieces up to this size are reused; longer pieces get their own. */
const KEPT_PIECE_BYTES = 1 << 12;

/**
 * Byte-pair encoding in time linear in the length of the piece. A sequence of tokens is the encoding of its bytes
 * exactly if every two neighbours are a stable pair. So tokens are chosen from left to right, the longest stable one
 * first; where there is none, the search backtracks to a shorter token before it. Each prefix has one encoding only, so an
 * offset from which the search backtracked is dead for good and is never tried twice.
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
      // in a long run the same token repeats, and trying all longer ones first would take a hundred times as long
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

/** Whether encoding the bytes of the two tokens together gives just these two tokens. */
type IsStablePair = (first: number, second: number) => boolean;

/**
 * Merges happen in order of rank, so the merges that made the two tokens can be undone from the highest rank down. The
 * pair is stable when a merge across its boundary would at no moment have come before the one being undone.
 */
function createStablePairTest(vocabulary: Vocabulary): IsStablePair {
  const { size, left, right } = vocabulary;
  const mergePair = createPairTable(vocabulary);
  return cacheAnswers((first, second) => {
    let before = first;
    let after = second;
    let limit = size;
    for (;;) {
      const merged = mergePair(before, after);
      if (merged !== NO_TOKEN && merged < limit) return false;
      if (before < SINGLE_BYTES && after < SINGLE_BYTES) return true;
      if (before > after) {
        limit = before;
        before = right[before] ?? 0;
      } else {
        // of equal ranks the leftmost merges first, so a merge across the boundary wins a tie with this one
        limit = after + 1;
        after = left[after] ?? 0;
      }
    }
  });
}

const ANSWER_SLOT_BITS = 13;

/** Caches recent answers of the test: long runs of whitespace or symbols repeat the same few pairs. */
function cacheAnswers(isStablePair: IsStablePair): IsStablePair {
  const firsts = new Int32Array(1 << ANSWER_SLOT_BITS).fill(NO_TOKEN);
  const seconds = new Int32Array(1 << ANSWER_SLOT_BITS);
  const answers = new Uint8Array(1 << ANSWER_SLOT_BITS);
  return (first, second) => {
    const slot = hashPair(first, second) >>> (32 - ANSWER_SLOT_BITS);
    if (firsts[slot] !== first || seconds[slot] !== second) {
      firsts[slot] = first;
      seconds[slot] = second;
      answers[slot] = isStablePair(first, second) ? 1 : 0;
    }
    return answers[slot] === 1;
  };
}

/** The token that two tokens merge into, or {@link NO_TOKEN}. */
type MergePair = (first: number, second: number) => number;

const SLOT_BITS = 19;
const LAST_SLOT = (1 << SLOT_BITS) - 1;
const FREE = 0;
const FILTER_BITS = 21;

/** A hash table with open addressing, behind a one-bit filter: most pairs do not merge, and the filter rejects nine in ten of those. */
function createPairTable({ size, left, right }: Vocabulary): MergePair {
  const tokenInSlot = new Int32Array(1 << SLOT_BITS);
  const filter = new Uint8Array(1 << (FILTER_BITS - 3));

  const slotOf = (first: number, second: number, hash: number) => {
    let slot = hash >>> (32 - SLOT_BITS);
    for (;;) {
      const token = tokenInSlot[slot] ?? FREE;
      if (token === FREE || (left[token] === first && right[token] === second)) return slot;
      slot = (slot + 1) & LAST_SLOT;
    }
  };

  for (let token = SINGLE_BYTES; token < size; token++) {
    const first = left[token] ?? 0;
    const second = right[token] ?? 0;
    const hash = hashPair(first, second);
    tokenInSlot[slotOf(first, second, hash)] = token;
    const bit = hash >>> (32 - FILTER_BITS);
    filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7));
  }

  return (first, second) => {
    const hash = hashPair(first, second);
    const bit = hash >>> (32 - FILTER_BITS);
    if (((filter[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return NO_TOKEN;
    const token = tokenInSlot[slotOf(first, second, hash)] ?? FREE;
    return token === FREE ? NO_TOKEN : token;
  };
}

function hashPair(first: number, second: number): number {
  return Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b);
}
