import { expect, test } from "vitest";
import { frozenCopy } from "./log-state.ts";

test("a copy is what the list was when it was asked for, not when it is looked at", () => {
  const growing = ["a", "b"];
  const copy = frozenCopy(growing);
  growing.push("c");
  expect(copy()).toEqual(["a", "b"]);
  expect(frozenCopy(growing)()).toEqual(["a", "b", "c"]);
});

test("a copy is the same array each time, and nobody can change it", () => {
  const copy = frozenCopy(["a"]);
  expect(copy()).toBe(copy());
  expect(Object.isFrozen(copy())).toBe(true);
});
