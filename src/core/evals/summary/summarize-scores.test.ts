import { describe, expect, test } from "vitest";
import { seededRandom } from "./seeded-random.ts";
import { estimateMean, quantile } from "./summarize-scores.ts";

describe("an estimate", () => {
  test("is the mean over sessions, inside its interval", () => {
    const estimate = estimateMean([0, 0.5, 1, 0.5], { resamples: 1_000, random: seededRandom(1) });
    expect(estimate).toMatchObject({ mean: 0.5, sessions: 4 });
    expect(estimate?.low).toBeGreaterThan(0);
    expect(estimate?.low).toBeLessThan(0.5);
    expect(estimate?.high).toBeGreaterThan(0.5);
  });

  test("is as narrow as its values are equal, and the same for the same seed", () => {
    expect(estimateMean([0.7, 0.7], { resamples: 50, random: seededRandom(1) })).toEqual({
      mean: 0.7,
      low: 0.7,
      high: 0.7,
      sessions: 2,
    });
    const again = () => estimateMean([0, 0.2, 0.9], { resamples: 200, random: seededRandom(7) });
    expect(again()).toEqual(again());
  });

  test("does not exist without sessions", () => {
    expect(estimateMean([], { resamples: 10, random: seededRandom(1) })).toBeUndefined();
  });
});

test("a quantile is the value at the nearest rank", () => {
  const ascending = Array.from({ length: 20 }, (_, index) => index + 1);
  expect([quantile(ascending, 0.5), quantile(ascending, 0.95), quantile([], 0.5)]).toEqual([10, 19, 0]);
});

test("seeded numbers lie in [0, 1) and spread", () => {
  const random = seededRandom(3);
  const numbers = Array.from({ length: 1_000 }, random);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  expect(numbers.reduce((sum, number) => sum + number, 0) / 1_000).toBeCloseTo(0.5, 1);
});
