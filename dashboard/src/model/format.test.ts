import { expect, test } from "vitest";
import { byteSize, counted, percent, shortNumber, timeAgo, usd, wholeNumber } from "./format.ts";

test.each([
  [0, "0"],
  [950, "950"],
  [1_000, "1k"],
  [12_345, "12.3k"],
  [212_000, "212k"],
  [1_234_567, "1.23M"],
  [-12_345, "-12.3k"],
])("%d is %s for short", (value, text) => {
  expect(shortNumber(value)).toBe(text);
});

test.each([
  [undefined, "price not known"],
  [0, "$0"],
  [0.00002, "$0.00002"],
  [0.0234, "$0.0234"],
  [0.24, "$0.24"],
  [3.414, "$3.41"],
  [-1.5, "−$1.50"],
])("%d dollars are %s", (value, text) => {
  expect(usd(value)).toBe(text);
});

test("shares, sizes and counts", () => {
  expect([percent(0.321), percent(0.004), percent(0)]).toEqual(["32 %", "0.4 %", "0 %"]);
  expect([byteSize(12), byteSize(2_048), byteSize(5_242_880)]).toEqual(["12 B", "2.0 KB", "5.0 MB"]);
  expect([counted(1, "message"), counted(1_200, "message")]).toEqual(["one message", "1,200 messages"]);
  expect(wholeNumber(1_234_567.4)).toBe("1,234,567");
});

test.each([
  [0, "just now"],
  [59_000, "59 seconds ago"],
  [60_000, "1 minute ago"],
  [7_300_000, "2 hours ago"],
  [90_000_000, "1 day ago"],
  [-5_000, "just now"],
])("%d milliseconds before are %s", (age, text) => {
  expect(timeAgo(1_000_000_000 - age, 1_000_000_000)).toBe(text);
});
