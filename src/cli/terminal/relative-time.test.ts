import { expect, test } from "vitest";
import { formatBytes } from "./numbers.ts";
import { relativeTime } from "./relative-time.ts";

const NOW = Date.UTC(2026, 0, 31, 12);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test.each([
  [0, "just now"],
  [-5_000, "just now"],
  [59_999, "just now"],
  [MINUTE, "1 minute ago"],
  [59 * MINUTE, "59 minutes ago"],
  [60 * MINUTE, "1 hour ago"],
  [DAY - 1, "23 hours ago"],
  [DAY, "1 day ago"],
  [30 * DAY, "30 days ago"],
  [31 * DAY, "2025-12-31"],
])("%i ms ago is %s", (ageMs, text) => {
  expect(relativeTime(NOW - ageMs, NOW)).toBe(text);
});

test("a time that is no date is long ago", () => {
  expect(relativeTime(-1e17, NOW)).toBe("long ago");
});

test.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1_000, "1.0 kB"],
  [65_536, "65.5 kB"],
  [250_000_000, "250 MB"],
  [3.2e15, "3200 TB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
