import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { createPostings } from "./postings.ts";
import { createTermTable } from "./term-table.ts";

function read(postings: ReturnType<typeof createPostings>, term: number) {
  const found: [number, number][] = [];
  postings.visit(term, (passage, count) => found.push([passage, count]));
  return found;
}

test("gives back what was appended, per term and in order", () => {
  const occurrence = fc.record({ term: fc.nat(20), count: fc.nat(63) });
  fc.assert(
    fc.property(fc.array(fc.array(occurrence, { maxLength: 15 }), { maxLength: 300, size: "max" }), (passages) => {
      const postings = createPostings();
      const expected = new Map<number, Map<number, number>>();
      for (const [passage, occurrences] of passages.entries()) {
        for (const { term, count } of occurrences) {
          postings.append(term, passage, count);
          const known = expected.get(term) ?? new Map<number, number>();
          if (!known.has(passage)) known.set(passage, count);
          expected.set(term, known);
        }
      }
      for (const [term, known] of expected) {
        expect(read(postings, term)).toEqual([...known]);
        expect(postings.passagesWith(term)).toBe(known.size);
      }
    }),
    propertyRuns(60),
  );
});

test("reads a list of a hundred thousand passages", () => {
  const postings = createPostings();
  for (let passage = 0; passage < 100_000; passage++) postings.append(3, passage, 1);
  expect(read(postings, 3)).toEqual(Array.from({ length: 100_000 }, (_, passage) => [passage, 1]));
});

test("holds large counts at the largest it can", () => {
  const postings = createPostings();
  postings.append(0, 0, 5_000);
  expect(read(postings, 0)).toEqual([[0, 63]]);
});

test("knows nothing of terms it has not seen", () => {
  const postings = createPostings();
  expect(postings.passagesWith(1_000_000)).toBe(0);
  expect(read(postings, 1_000_000)).toEqual([]);
});

test("numbers terms in order, and tells those apart that share half of their hash", () => {
  const table = createTermTable();
  const numbers = Array.from({ length: 20_000 }, (_, index) => index);
  expect(numbers.map((index) => table.intern({ low: index % 5_000, high: index }))).toEqual(numbers);
  expect(table.intern({ low: 7, high: 5_007 })).toBe(5_007);
  expect(table.find({ low: 8, high: 5_007 })).toBeUndefined();
});
