import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { stableRecord, stableText } from "./stable-text.ts";

/** The same value with the keys of every object the other way round. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([name, field]) => [name, reordered(field)]));
}

describe("the stable text of a value", () => {
  test("is the same for equal values, whatever the order of their keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(stableText(reordered(value))).toBe(stableText(value));
      }),
      propertyRuns(100),
    );
  });

  test("differs wherever the values differ", () => {
    const value = fc.jsonValue({ maxDepth: 2 });
    fc.assert(
      fc.property(value, value, (one, other) => {
        const areEqual = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        expect(stableText(one) === stableText(other)).toBe(areEqual);
      }),
      propertyRuns(100),
    );
  });

  test.each<[string, unknown, unknown]>([
    ["a string that looks like another's end", ["a", "b"], ['a,1"b']],
    ["a number and its digits", 5, "5"],
    ["a list and its item", ["a"], "a"],
    ["an item and two", ["ab"], ["a", "b"]],
    ["an empty object and an empty list", {}, []],
    ["a missing field and one that is null", {}, { a: null }],
    ["a name and its value", { a: "b" }, { b: "a" }],
    ["null and its name", null, "null"],
  ])("differs for %s", (_, one, other) => {
    expect(stableText(one)).not.toBe(stableText(other));
  });

  test("is the same for objects of many names too", () => {
    const record = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`name${(index * 17) % 40}`, index]));
    expect(stableText(reordered(record))).toBe(stableText(record));
    expect(stableText(record)).toMatch(/^\{5"name0:.*5"name9:\d+,\}$/);
  });

  test("leaves out the fields that are left out", () => {
    const textOf = (record: Readonly<Record<string, unknown>>) =>
      stableRecord(record, (name, value) => (name === "mark" ? undefined : stableText(value)));
    expect(textOf({ a: 1, mark: { b: 2 } })).toBe(textOf({ a: 1 }));
    expect(textOf({ a: 1, mark: 1 })).not.toBe(textOf({ a: 2, mark: 1 }));
  });

  test("holds strings as they are, without escapes", () => {
    const text = 'say "hi"\n\\ \ud800';
    expect(stableText({ a: [text] })).toContain(text);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, field]) => [name, sorted(field)]));
}
