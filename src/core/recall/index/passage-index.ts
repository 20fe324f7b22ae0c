import type { Passage } from "../passages/prepare-block.ts";
import { ENTRY_SIZE, type TermHash, type TermList } from "../passages/term-list.ts";
import { createPostings } from "./postings.ts";
import { createTermTable, grow } from "./term-table.ts";

/** An inverted index of passages, which are numbered from 0 in the order in which they are added. */
export interface PassageIndex {
  /** Adds a passage; it is found by the terms of `context` too. */
  add(passage: Passage, context: TermList | undefined): void;
  readonly passages: readonly Passage[];
  /** How many passages have the term. */
  passagesWith(hash: TermHash): number;
  /** Visits every passage that has the term; with a `count` of 0 where only its context has it. */
  visit(hash: TermHash, visitor: (passage: number, count: number) => void): void;
  /** The number of terms in a passage, with repetitions. */
  lengthOf(passage: number): number;
  meanLength(): number;
}

/** An index without passages. */
export function createPassageIndex(): PassageIndex {
  const table = createTermTable();
  const postings = createPostings();
  const passages: Passage[] = [];
  let lengths = new Uint32Array(1_024);
  let totalLength = 0;
  const hash = { low: 0, high: 0 };

  function append({ entries, start, end }: TermList, passage: number, isContext: boolean): void {
    for (let at = start; at < end; at += ENTRY_SIZE) {
      hash.low = entries[at] ?? 0;
      hash.high = entries[at + 1] ?? 0;
      postings.append(table.intern(hash), passage, isContext ? 0 : (entries[at + 2] ?? 0));
    }
  }

  return {
    passages,
    add(passage, context) {
      const number = passages.push(passage) - 1;
      lengths = grow(lengths, number + 1);
      lengths[number] = passage.terms.length;
      totalLength += passage.terms.length;
      append(passage.terms, number, false);
      // After the passage's own terms, which keep their counts: a second posting of a term is ignored.
      if (context !== undefined) append(context, number, true);
    },
    passagesWith(hash) {
      const term = table.find(hash);
      return term === undefined ? 0 : postings.passagesWith(term);
    },
    visit(hash, visitor) {
      const term = table.find(hash);
      if (term !== undefined) postings.visit(term, visitor);
    },
    lengthOf: (passage) => lengths[passage] ?? 0,
    meanLength: () => (passages.length === 0 ? 0 : totalLength / passages.length),
  };
}
