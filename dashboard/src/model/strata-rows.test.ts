import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { mapRows } from "./strata-rows.ts";

test("a message that is expanded has a row for each of its blocks below it", () => {
  const rows = mapRows(new Map([[2, 3]]));
  expect(rows.total(5)).toBe(8);
  expect([0, 1, 2, 3, 4, 5, 6, 7].map(rows.placeOf)).toEqual([
    { message: 0, block: undefined },
    { message: 1, block: undefined },
    { message: 2, block: undefined },
    { message: 2, block: 0 },
    { message: 2, block: 1 },
    { message: 2, block: 2 },
    { message: 3, block: undefined },
    { message: 4, block: undefined },
  ]);
  expect([1, 2, 3].map(rows.rowOf)).toEqual([1, 2, 6]);
});

test("rows are the messages and blocks in order, whatever is expanded", () => {
  const expanded = fc.uniqueArray(fc.tuple(fc.nat(30), fc.integer({ min: 2, max: 5 })), { selector: ([at]) => at });
  fc.assert(
    fc.property(expanded, fc.integer({ min: 31, max: 40 }), (entries, messages) => {
      const blocks = new Map(entries);
      const rows = mapRows(blocks);
      const all = Array.from({ length: messages }, (_, message) => [
        { message, block: undefined },
        ...Array.from({ length: blocks.get(message) ?? 0 }, (_, block) => ({ message, block })),
      ]).flat();
      expect(rows.total(messages)).toBe(all.length);
      expect(all.map((_, row) => rows.placeOf(row))).toEqual(all);
      all.forEach(({ message, block }, row) => {
        if (block === undefined) expect(rows.rowOf(message)).toBe(row);
      });
    }),
    PROPERTY_RUNS,
  );
});
