import { describe, expect, test } from "vitest";
import { cutAfter, cutBefore } from "./clip-cut.ts";

describe.each([
  ["a surrogate pair", "a😀b", 2, 1, 3],
  ["a line end", "a\r\nb", 2, 1, 3],
  ["a combined character", "ae\u0301\u0302b", 3, 1, 4],
  ["an emoji sequence", "a👩🏽‍💻b", 5, 1, 8],
])("a cut inside %s", (_, text, index, before, after) => {
  test("moves before it", () => expect(cutBefore(text, index)).toBe(before));
  test("moves after it", () => expect(cutAfter(text, index)).toBe(after));
});

test("a cut between characters stays", () => {
  for (const index of [0, 1, 2, 3]) {
    expect(cutBefore("abc", index)).toBe(index);
    expect(cutAfter("abc", index)).toBe(index);
  }
});

test("a lone surrogate is a character", () => {
  expect(cutBefore("\ud83dx\ude00", 1)).toBe(1);
  expect(cutAfter("\ud83dx\ude00", 2)).toBe(2);
});

test("a character with endless marks is cut, but not inside a surrogate pair", () => {
  const marks = `a${"\u{1d165}".repeat(100)}`;
  expect(cutBefore(marks, 100)).toBe(99);
  expect(cutAfter(marks, 100)).toBe(101);
});
