import { createPairTable, hashPair } from "./pair-table.ts";
import { NO_TOKEN, SINGLE_BYTES, type Vocabulary } from "./vocabulary.ts";

/** Whether encoding the bytes of the two tokens together gives just these two tokens. */
export type IsStablePair = (first: number, second: number) => boolean;

/**
 * Merges happen in order of rank, so the merges that made the two tokens can be undone from the highest rank down. The
 * pair is stable when a merge across its boundary would at no moment have come before the one being undone.
 */
export function createStablePairTest(vocabulary: Vocabulary): IsStablePair {
  const { size, left, right } = vocabulary;
  const mergePair = createPairTable(vocabulary);
  return rememberAnswers((first, second) => {
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

/** The same test, remembering recent answers: long runs of whitespace or symbols ask the same few questions often. */
function rememberAnswers(isStablePair: IsStablePair): IsStablePair {
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
