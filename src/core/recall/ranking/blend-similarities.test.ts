import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { blendSimilarities } from "./blend-similarities.ts";

const scoresOf = (...values: readonly number[]) => ({
  found: values.flatMap((value, passage) => (value > 0 ? [passage] : [])),
  scores: Float64Array.from(values),
});

test("the nearest gains a share of the best score, the farthest nothing", () => {
  const { found, scores } = blendSimilarities(
    scoresOf(4, 2, 0),
    new Map([
      [0, 0.1],
      [1, 0.5],
      [2, 0.9],
    ]),
  );
  expect(found.toSorted()).toEqual([0, 1, 2]);
  expect([...scores].map((score) => score.toFixed(2))).toEqual(["4.00", "2.30", "0.60"]);
});

test("where all are equally near, and where none is a number, words alone decide", () => {
  const words = scoresOf(4, 2, 0);
  expect(blendSimilarities(words, new Map([[1, 0.5]]))).toEqual(words);
  expect(blendSimilarities(words, new Map([[1, Number.NaN]]))).toEqual(words);
  expect(blendSimilarities(words, new Map())).toEqual(words);
});

test("whatever similarities say, no score gets lower, and none is what is no number", () => {
  const similarity = fc.oneof(fc.double({ min: -1, max: 1, noNaN: true }), fc.constant(Number.NaN));
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 20 }), fc.array(similarity, { maxLength: 30 }), (values, near) => {
      const words = scoresOf(...values);
      const { found, scores } = blendSimilarities(words, new Map(near.entries()));
      for (const [passage, score] of scores.entries()) expect(score).toBeGreaterThanOrEqual(values[passage] ?? 0);
      expect(new Set(found).size).toBe(found.length);
      for (const passage of words.found) expect(found).toContain(passage);
    }),
    propertyRuns(200),
  );
});
