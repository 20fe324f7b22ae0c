import { expect, test } from "vitest";
import { createSessionIndex } from "./session-index.ts";

const MOST_KEYS = 50_000;

test("finds sessions by their keys, the one that was added last first", () => {
  const index = createSessionIndex();
  index.add("one", ["a", "b"]);
  index.add("two", ["a"]);
  expect([index.find("a"), index.find("b"), index.find("c")]).toEqual([["two", "one"], ["one"], []]);
});

test("drops the keys that were added first, whatever was dropped before", () => {
  const index = createSessionIndex();
  for (let key = 0; key < 3 * MOST_KEYS; key++) index.add("one", [`${key}`]);
  // Once more, it is as new as it was.
  index.add("two", [`${2 * MOST_KEYS}`]);
  index.add("one", ["next"]);
  const found = [2 * MOST_KEYS, 2 * MOST_KEYS + 1, 3 * MOST_KEYS - 1].map((key) => index.find(`${key}`));
  expect(found).toEqual([[], ["one"], ["one"]]);
  expect(index.find("next")).toEqual(["one"]);
});
