import { grow } from "./term-table.ts";

/** The posting lists of an inverted index: which passages have which terms. The cost of an append does not depend on their size. */
export interface Postings {
  /** Adds a passage to the list of a term, with its count. Passages come in order; a second call for the same term and passage is ignored. */
  append(term: number, passage: number, count: number): void;
  /** How many passages have the term. */
  passagesWith(term: number): number;
  visit(term: number, visitor: (passage: number, count: number) => void): void;
}

/** A posting is a passage and its count, packed into one number. */
const COUNT_BITS = 6;
const MAX_COUNT = 2 ** COUNT_BITS - 1;

// The postings of a term lie in slices of one pool, each twice as long as the one before, so that long lists are read in
// long steps and the many short ones take little room. The place after a slice holds where the next one starts.
const FIRST_SLICE = 1;
const LONGEST_SLICE = 1_024;

// The record of a term has five numbers.
const FIELDS = 5;
const HEAD = 0;
const TAIL = 1;
const SLICE_END = 2;
const SLICE_LENGTH = 3;
const PASSAGES = 4;

/** Empty postings. */
export function createPostings(): Postings {
  let pool = new Uint32Array(4_096);
  let poolEnd = 0;
  let fields = new Uint32Array(4_096);

  function openSlice(at: number, length: number): number {
    const start = poolEnd;
    poolEnd += length + 1;
    pool = grow(pool, poolEnd);
    fields[at + TAIL] = start;
    fields[at + SLICE_END] = start + length;
    fields[at + SLICE_LENGTH] = length;
    return start;
  }

  function makeRoom(at: number): void {
    const sliceEnd = fields[at + SLICE_END] ?? 0;
    if (fields[at + TAIL] !== sliceEnd) return;
    const next = openSlice(at, Math.min(LONGEST_SLICE, (fields[at + SLICE_LENGTH] ?? 0) * 2));
    pool[sliceEnd] = next;
  }

  /** The passage that was appended last; makeRoom runs before a write, so it lies right before the tail. */
  function latestPassage(at: number): number {
    return (pool[(fields[at + TAIL] ?? 0) - 1] ?? 0) >>> COUNT_BITS;
  }

  return {
    append(term, passage, count) {
      const at = term * FIELDS;
      fields = grow(fields, at + FIELDS);
      const passages = fields[at + PASSAGES] ?? 0;
      if (passages === 0) fields[at + HEAD] = openSlice(at, FIRST_SLICE);
      else if (latestPassage(at) === passage) return;
      else makeRoom(at);
      const tail = fields[at + TAIL] ?? 0;
      pool[tail] = (passage << COUNT_BITS) | Math.min(MAX_COUNT, count);
      fields[at + TAIL] = tail + 1;
      fields[at + PASSAGES] = passages + 1;
    },
    passagesWith: (term) => fields[term * FIELDS + PASSAGES] ?? 0,
    visit(term, visitor) {
      const at = term * FIELDS;
      let left = fields[at + PASSAGES] ?? 0;
      let start = fields[at + HEAD] ?? 0;
      for (let length = FIRST_SLICE; left > 0; length = Math.min(LONGEST_SLICE, length * 2)) {
        const end = start + Math.min(left, length);
        for (let place = start; place < end; place++) {
          const posting = pool[place] ?? 0;
          visitor(posting >>> COUNT_BITS, posting & MAX_COUNT);
        }
        left -= end - start;
        start = pool[start + length] ?? 0;
      }
    },
  };
}
