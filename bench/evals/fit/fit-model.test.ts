import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { fitComparison, fitLogistic, type Group } from "./fit-model.ts";
import { solve } from "./solve.ts";

const row = (...values: readonly number[]) => Float64Array.from(values);

test("equations are solved, whatever the order of their rows", () => {
  const number = fc.integer({ min: -9, max: 9 });
  fc.assert(
    fc.property(fc.tuple(number, number, number), ([x, y, z]) => {
      const matrix = [
        [0, 2, 1],
        [3, 0, -1],
        [1, 1, 5],
      ];
      const right = matrix.map(([a = 0, b = 0, c = 0]) => a * x + b * y + c * z);
      for (const [index, value] of solve(matrix, right).entries()) expect(value).toBeCloseTo([x, y, z][index] ?? 0);
    }),
    propertyRuns(50),
  );
});

describe("a logistic fit", () => {
  // Of 10 with the trait 8 come true, of 10 without it 2.
  const rows = Array.from({ length: 20 }, (_, index) => row(1, index < 10 ? 1 : 0));
  const isTrue = rows.map((_, index) => index < 8 || index >= 18);
  const group: Group = { rows, isTrue, weight: 1 };

  test("finds the odds that were there", () => {
    const [mean = 0, trait = 0] = fitLogistic([group], { terms: 2, penalty: 1e-6 });
    expect(mean).toBeCloseTo(Math.log(0.2 / 0.8), 3);
    expect(mean + trait).toBeCloseTo(Math.log(0.8 / 0.2), 3);
  });

  test("is held back by a penalty, but for the mean", () => {
    const [, free = 0] = fitLogistic([group], { terms: 2, penalty: 1e-6 });
    const [, held = 0] = fitLogistic([group], { terms: 2, penalty: 5 });
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThan(free / 2);
  });
});

describe("a fit of comparisons", () => {
  test("finds by how much one kind is drawn before the other, in groups of any mean", () => {
    const groups = [3, 7].map((base): Group => {
      const rows = [row(base), row(base + 1)];
      return {
        rows: [...rows, ...rows, ...rows, ...rows],
        isTrue: [false, true, false, true, false, true, true, false],
        weight: 1,
      };
    });
    // Drawn three times of four: odds of 3.
    expect(fitComparison(groups, { terms: 1, penalty: 1e-6 })[0]).toBeCloseTo(Math.log(3), 3);
  });

  test("learns nothing where nothing came true", () => {
    const group: Group = { rows: [row(0), row(1)], isTrue: [false, false], weight: 1 };
    expect(fitComparison([group], { terms: 1, penalty: 1 })[0]).toBe(0);
  });
});
