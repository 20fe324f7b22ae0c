import { expect, test } from "vitest";
import { gatherNear } from "./gather-near.ts";

test("a mark counts less the further it is, above and below alike", () => {
  const gathered = [...gatherNear([false, false, true, false, false])];
  expect(gathered.map((each) => each.toFixed(2))).toEqual(["0.64", "0.80", "1.00", "0.80", "0.64"]);
});

test("marks add up between them", () => {
  const [, between = 0] = gatherNear([true, false, true]);
  expect(between).toBeCloseTo(1.6);
});

test("without a mark there is nothing to gather", () => {
  expect([...gatherNear([false, false])]).toEqual([0, 0]);
  expect([...gatherNear([])]).toEqual([]);
});
