import { expect, test } from "vitest";
import { parseBytes, parseDuration } from "./numbers.ts";

const HOUR = 3_600_000;

test.each<[string, number | undefined]>([
  ["12h", 12 * HOUR],
  ["90d", 90 * 24 * HOUR],
  ["2 W", 14 * 24 * HOUR],
  ["30s", 30_000],
  ["10m", 600_000],
  ["90", undefined],
  ["-1d", undefined],
  ["1.5d", undefined],
  ["90 days", undefined],
  ["", undefined],
])("the duration %j", (text, expected) => {
  expect(parseDuration(text)).toBe(expected);
});

test.each<[string, number | undefined]>([
  ["500MB", 500_000_000],
  ["1.5 gb", 1_500_000_000],
  ["2TB", 2e12],
  ["10", undefined],
  ["10GiB", undefined],
  ["-1GB", undefined],
  ["", undefined],
])("the size %j", (text, expected) => {
  expect(parseBytes(text)).toBe(expected);
});
