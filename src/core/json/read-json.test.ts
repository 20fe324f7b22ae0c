import { describe, expect, test } from "vitest";
import { tryParseJson } from "./parse-json.ts";
import { asArray, asName, asNumber, asRecord, asText, asTimeMs, asTokens, fieldAt } from "./read-json.ts";

const VALUES = [undefined, null, true, 7, Number.NaN, "", "x", [], {}, [1], () => 1];

describe("reading unchecked JSON", () => {
  test("gives a value of the asked type, or nothing", () => {
    expect(VALUES.filter((value) => asRecord(value) !== undefined)).toEqual([{}]);
    expect(VALUES.filter((value) => asText(value) !== undefined)).toEqual(["", "x"]);
    expect(VALUES.filter((value) => asName(value) !== undefined)).toEqual(["x"]);
    expect(VALUES.filter((value) => asNumber(value) !== undefined)).toEqual([7]);
    expect(VALUES.flatMap((value) => asArray(value))).toEqual([1]);
    expect([-1, Number.POSITIVE_INFINITY, "5", 5].map(asTokens)).toEqual([0, 0, 0, 5]);
  });

  test("follows a path through own fields only", () => {
    const value = { a: [{ b: 1 }] };
    expect(fieldAt(value, "a", 0, "b")).toBe(1);
    expect(fieldAt(value)).toBe(value);
    for (const path of [["a", 1], ["constructor"], ["a", "length", "x"], ["a", 0, "b", "toFixed"]]) {
      expect(fieldAt(value, ...path)).toBeUndefined();
    }
    expect(fieldAt(null, "a")).toBeUndefined();
  });

  test("reads times the same on every machine", () => {
    expect(asTimeMs("2026-01-02T03:04:05.678Z")).toBe(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
    expect(asTimeMs("2026-01-02T03:04:05.678901")).toBe(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
    expect(asTimeMs("2026-01-02 03:04:05")).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
    expect(asTimeMs("2026-01-02T03:04:05+02:00")).toBe(Date.UTC(2026, 0, 2, 1, 4, 5));
    expect(asTimeMs(1_700_000_000_000)).toBe(1_700_000_000_000);
    for (const value of ["yesterday", "2026-99-99T00:00:00Z", "", null, Number.NaN, {}])
      expect(asTimeMs(value)).toBeUndefined();
  });

  test("gives nothing for broken JSON", () => {
    expect(tryParseJson('{"a":1}')).toEqual({ a: 1 });
    expect(tryParseJson('{"a":')).toBeUndefined();
  });
});
