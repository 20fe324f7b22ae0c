import { describe, expect, test } from "vitest";
import { createPassageOrder } from "./passage-order.ts";
import { type SpreadOptions, spreadScores } from "./spread-scores.ts";

/** The scores of the passages of a single message after they were spread. */
function spread(scores: readonly number[], options: Partial<SpreadOptions> = {}): readonly number[] {
  const order = createPassageOrder();
  order.addMessage(undefined);
  for (const _ of scores) order.addPassage(0, 0, "text");
  const found = scores.flatMap((score, passage) => (score > 0 ? [passage] : []));
  return [...spreadScores({ found, scores: Float64Array.from(scores) }, order, { limit: 10, ...options }).scores];
}

/** How much higher the scores are where the message belongs together. */
function gains(scores: readonly number[]): readonly number[] {
  const apart = spread(scores);
  return spread(scores, { isWhole: () => true }).map((score, passage) => score - (apart[passage] ?? 0));
}

describe("a message that belongs together", () => {
  test("lends what its best passage has to the others", () => {
    expect(gains([0, 10, 5])).toEqual([3, 0, 1.5]);
  });

  test("keeps the order of its passages", () => {
    const scores = spread([2, 10, 5], { isWhole: () => true });
    expect(scores.toSorted((one, other) => other - one)).toEqual([scores[1], scores[2], scores[0]]);
  });

  test("lends nothing where it has many passages, or one", () => {
    expect(gains([0, 10, 5, 0])).toEqual([0, 0, 0, 0]);
    expect(gains([10])).toEqual([0]);
  });
});
