import { expect, test } from "vitest";
import { wellFormed, wellFormedValue } from "./well-formed.ts";

test.each([
  ["a pair stays", "a😀b", "a😀b"],
  ["a first half alone", "a\ud83d b", "a\ufffd b"],
  ["a second half alone", "\ude00b", "\ufffdb"],
  ["halves in the wrong order", "\ude00\ud83d", "\ufffd\ufffd"],
])("%s", (_, text, expected) => {
  expect(wellFormed(text)).toBe(expected);
});

test("a value is changed at any depth, in its keys too", () => {
  const value = { "k\ud800": [{ text: "\udc00", count: 1 }], other: null };
  expect(wellFormedValue(value)).toEqual({ "k\ufffd": [{ text: "\ufffd", count: 1 }], other: null });
});

test("a value without lone surrogates is the same object", () => {
  const value = { text: "a😀b", items: [{ text: "c" }] };
  expect(wellFormedValue(value)).toBe(value);
});
