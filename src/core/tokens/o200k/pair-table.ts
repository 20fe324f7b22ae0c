import { NO_TOKEN, SINGLE_BYTES, type Vocabulary } from "./vocabulary.ts";

/** The token that two tokens merge into, or {@link NO_TOKEN}. */
export type MergePair = (first: number, second: number) => number;

const SLOT_BITS = 19;
const LAST_SLOT = (1 << SLOT_BITS) - 1;
const FREE = 0;
const FILTER_BITS = 21;

/** Open addressing behind a filter: most pairs do not merge, and nine in ten of those are told by a single bit. */
export function createPairTable({ size, left, right }: Vocabulary): MergePair {
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

export function hashPair(first: number, second: number): number {
  return Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b);
}
