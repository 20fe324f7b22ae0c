import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { indexAt, plot, ticksTo, xOf } from "./plot.ts";

const SIZE = { width: 100, height: 50 };

test("draws a line from the bottom to the highest tick", () => {
  const { lines, ticks, most } = plot([{ name: "cost", color: "accent", values: [0, 2, 4] }], SIZE);
  expect(lines).toEqual([{ name: "cost", color: "accent", path: "M0 50L50 25L100 0" }]);
  expect([ticks, most]).toEqual([[0, 1, 2, 3, 4], 4]);
});

test("leaves out what is not known, and draws nothing of nothing", () => {
  expect(plot([{ name: "a", color: "x", values: [undefined, 4, undefined, 4] }], SIZE).lines[0]?.path).toBe(
    "M33.3 0L100 0",
  );
  expect(plot([{ name: "a", color: "x", values: [] }], SIZE)).toMatchObject({ lines: [{ path: "" }], most: 1 });
});

test("of very many values the highest and lowest of each pixel stay", () => {
  const values = Array.from({ length: 100_000 }, (_, index) => (index === 50_123 ? 900 : 10));
  const path = plot([{ name: "a", color: "x", values }], SIZE).lines[0]?.path ?? "";
  expect(path.split("L").length).toBeLessThanOrEqual(200);
  expect(path).toContain(" 5L");
});

test("a place across the plot finds the request that is drawn there", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.nat(399), (count, index) => {
      fc.pre(index < count);
      expect(indexAt(xOf(index, count, 500), count, 500)).toBe(index);
    }),
    PROPERTY_RUNS,
  );
  expect([indexAt(-40, 82, 500), indexAt(900, 82, 500)]).toEqual([0, 81]);
});

test("ticks are round, few, and reach the highest value", () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (highest) => {
      const ticks = ticksTo(highest);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest * (1 - 1e-6));
      expect(ticks.length).toBeGreaterThanOrEqual(3);
      expect(ticks.length).toBeLessThanOrEqual(6);
    }),
    PROPERTY_RUNS,
  );
  expect([ticksTo(0), ticksTo(Number.NaN)]).toEqual([
    [0, 1],
    [0, 1],
  ]);
});
