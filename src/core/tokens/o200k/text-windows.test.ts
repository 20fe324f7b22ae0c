import { expect, test } from "vitest";
import { findWindowEnd, WINDOW_UNITS } from "./text-buffer.ts";

test("takes a short text whole", () => {
  expect(findWindowEnd("a b c", 0)).toBe(5);
  expect(findWindowEnd("a b c", 2)).toBe(5);
});

test("ends a window between a word and the blank after it", () => {
  const text = "word ".repeat(WINDOW_UNITS);
  const end = findWindowEnd(text, 0);
  expect(end).toBeLessThanOrEqual(WINDOW_UNITS);
  expect(text.slice(end - 1, end + 1)).toBe("d ");
});

test("never ends a window after punctuation, which may go on into a line end", () => {
  const text = "!\n".repeat(WINDOW_UNITS);
  expect(findWindowEnd(text, 0)).toBe(text.length);
});

test("stretches a window over an unbroken run to the first sure place it finds after it", () => {
  const run = "x".repeat(3 * WINDOW_UNITS);
  const text = `${run} ${run}`;
  expect(findWindowEnd(text, 0)).toBe(run.length);
  expect(findWindowEnd(text, run.length)).toBe(text.length);
});
