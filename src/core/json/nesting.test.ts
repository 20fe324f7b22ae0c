import { describe, expect, test } from "vitest";
import { isNestedTooDeep } from "./scan-json.ts";
import { stableText } from "./stable-text.ts";

function nested(levels: number, [open, close]: readonly [string, string]): unknown {
  return JSON.parse(`${open.repeat(levels)}1${close.repeat(levels)}`);
}

describe.each<[string, readonly [string, string]]>([
  ["lists", ["[", "]"]],
  ["objects", ['{"a":', "}"]],
])("%s in one another", (_, brackets) => {
  test("may be five hundred, and no more", () => {
    expect([500, 501, 100_000].map((levels) => isNestedTooDeep(nested(levels, brackets)))).toEqual([false, true, true]);
    expect(isNestedTooDeep([1, { a: nested(500, brackets) }])).toBe(true);
  });

  test("have a text up to there", () => {
    expect(stableText(nested(500, brackets)).length).toBeGreaterThan(1_000);
  });
});

test("values that hold no others are not nested", () => {
  expect([null, "[[", 5, true, undefined].map((value) => isNestedTooDeep(value, 0))).not.toContain(true);
});
