import type { TermHash } from "../passages/term-list.ts";

/** Gives terms numbers, from 0 up in the order of their first appearance. */
export interface TermTable {
  /** The number of a term, given to it now if it has none. */
  intern(hash: TermHash): number;
  /** The number of a term, or undefined where it has none. */
  find(hash: TermHash): number | undefined;
}

/** An empty table: open addressing, half full at most. It grows from so many slots, a power of two. @default firstSlots 4_096 */
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

/** The array, or a copy with room for `length` numbers and as many again. */
export function grow(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const larger = new Uint32Array(length * 2);
  larger.set(array);
  return larger;
}
