import type { TermHash } from "../passages/term-list.ts";

/** A hash table that numbers terms from 0, in the order of their first appearance. */
export interface TermTable {
  /** The number of a term; a new one if it has none yet. */
  intern(hash: TermHash): number;
  /** The number of a term, or undefined where it has none. */
  find(hash: TermHash): number | undefined;
}

/** An empty table with open addressing, at most half full. `firstSlots` is a power of two. @default firstSlots 4_096 */
export function createTermTable(firstSlots = 4_096): TermTable {
  /** 0 where free, else a term's number plus 1. */
  let slots = new Uint32Array(firstSlots);
  let hashes = new Uint32Array(firstSlots);
  let terms = 0;

  /** The slot of the term, or the free one where it belongs. */
  function slotOf(low: number, high: number): number {
    const mask = slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot] ?? 0;
      if (found === 0) return slot;
      const at = (found - 1) * 2;
      if (hashes[at] === low && hashes[at + 1] === high) return slot;
    }
  }

  function enlarge(): void {
    slots = new Uint32Array(slots.length * 2);
    for (let term = 0; term < terms; term++) {
      slots[slotOf(hashes[term * 2] ?? 0, hashes[term * 2 + 1] ?? 0)] = term + 1;
    }
  }

  return {
    intern({ low, high }) {
      const slot = slotOf(low, high);
      const found = slots[slot] ?? 0;
      if (found > 0) return found - 1;
      hashes = grow(hashes, (terms + 1) * 2);
      hashes[terms * 2] = low;
      hashes[terms * 2 + 1] = high;
      slots[slot] = ++terms;
      if (terms * 2 > slots.length) enlarge();
      return terms - 1;
    },
    find({ low, high }) {
      const found = slots[slotOf(low, high)] ?? 0;
      return found === 0 ? undefined : found - 1;
    },
  };
}

/** The array itself where it has room for `length` numbers, else a copy with room for twice as many. */
export function grow(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const larger = new Uint32Array(length * 2);
  larger.set(array);
  return larger;
}
