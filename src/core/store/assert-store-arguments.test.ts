import { expect, test } from "vitest";
import { assertAppend, assertLockRequest, assertName, assertSearch } from "./assert-store-arguments.ts";

test("names the argument, what it is and what it must be", () => {
  expect(() => assertName("sessionId", "a\0b")).toThrow(
    'sessionId is "a\\u0000b"; it must be a text of 1 to 512 characters, without NUL and halves of surrogate pairs.',
  );
  expect(() => assertAppend(1.5, [])).toThrow(/^sessionKey is 1\.5; it must be a whole number from 1/);
});

test("names the record and the term that is wrong", () => {
  expect(() => assertAppend(1, [{ body: "1" }, { body: "\ud800" }])).toThrow(/^records\[1\]\.body is/);
  expect(() => assertAppend(1, [{ body: "1", terms: ["fine", ""] }])).toThrow(/^records\[0\]\.terms\[1\] is ""/);
  expect(() => assertSearch(["fine", "x".repeat(513)])).toThrow(/^terms\[1\] is/);
});

test("takes whatever JSON writes, and terms of any characters", () => {
  const body = JSON.stringify("\0 \ud800 😀");
  expect(() => assertAppend(1, [{ body, terms: ["\ud800", "\0", "A", " "] }], { expectedVersion: 0 })).not.toThrow();
});

test("refuses a lock that would outlast all clocks", () => {
  const lock = { sessionKey: 1, name: "m1", holder: "anna", durationMs: Number.MAX_SAFE_INTEGER };
  expect(() => assertLockRequest(lock)).toThrow(/^durationMs is/);
});
