import { expect, test } from "vitest";
import { LONGEST_TIMEOUT_MS, timerMs, withTimeLimit } from "./time-limit.ts";

test("what is in time keeps its own outcome", async () => {
  expect(await withTimeLimit(Promise.resolve(5), 1_000)).toBe(5);
  expect(await withTimeLimit("at once", 1_000)).toBe("at once");
  await expect(withTimeLimit(Promise.reject(new Error("its own")), 1_000)).rejects.toThrow("its own");
});

test("what never comes is given up", async () => {
  await expect(withTimeLimit(new Promise(() => {}), 5)).rejects.toThrow("It took longer than 5 ms.");
});

test("a limit that no timer can hold is the longest one, not none", async () => {
  expect(timerMs(Number.POSITIVE_INFINITY)).toBe(LONGEST_TIMEOUT_MS);
  const slow = new Promise((resolve) => setTimeout(() => resolve("late"), 20));
  expect(await withTimeLimit(slow, Number.POSITIVE_INFINITY)).toBe("late");
});
