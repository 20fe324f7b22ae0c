import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../../test/support/property-runs.ts";
import { clipJson } from "./clip-json.ts";
import { clipText } from "./clip-text.ts";

const countTokens = (text: string) => Math.ceil(text.length / 4);
const foldId = "clip-1x9k2ab";
const clip = (text: string, budgetTokens: number) => clipText(text, { budgetTokens, countTokens, foldId });
const words = (count: number) => "word ".repeat(count).trim();

describe("clipping JSON", () => {
  test("clips long strings to head and tail, and keeps the rest", () => {
    const value = { path: "src/a.ts", content: `start ${words(2_000)} end`, mode: 420 };
    const clipped = JSON.parse(clip(JSON.stringify(value), 100));
    expect(clipped).toMatchObject({ path: "src/a.ts", mode: 420 });
    expect(clipped.content).toMatch(
      /^start word .*…\[9,\d+ characters here: 2,\d+ tokens hidden in fold clip-1x9k2ab\]….* end$/,
    );
  });

  test("keeps the first and the last items of a long array", () => {
    const value = Array.from({ length: 1_000 }, (_, index) => ({ id: index }));
    const clipped: unknown[] = JSON.parse(clip(JSON.stringify(value), 100));
    expect(clipped[0]).toEqual({ id: 0 });
    expect(clipped.at(-1)).toEqual({ id: 999 });
    const note = clipped.findIndex((item) => typeof item === "string");
    expect(clipped[note]).toBe(`[${1_001 - clipped.length} items here: 2,623 tokens hidden in fold clip-1x9k2ab]`);
  });

  test("keeps the first and the last entries of a large object, and does not overwrite one", () => {
    const entries = Array.from({ length: 500 }, (_, index) => [`key${index}`, index] as const);
    const value = Object.fromEntries([["…", "mine"], ...entries]);
    const clipped = JSON.parse(clip(JSON.stringify(value), 100));
    expect(clipped).toMatchObject({ "…": "mine", key0: 0, key499: 499 });
    expect(clipped["……"]).toMatch(/^\[\d+ keys here: /);
  });

  test("gives the full notice once", () => {
    const value = { first: words(500), second: words(500), third: Array.from({ length: 300 }, (_, index) => index) };
    const clipped = clip(JSON.stringify(value), 150);
    expect(clipped.match(/hidden in fold/g)).toHaveLength(1);
    expect(clipped).toMatch(/\[[\d,]+ characters hidden\]/);
    expect(clipped).toMatch(/\[\d+ items hidden\]/);
  });

  test("keeps every digit of a number", () => {
    const digits = ["12345678901234567890123", "1.50", "-0", "1e400", "0.1000000000000000055511151231257827"];
    const clipped = clip(`{"numbers":[${digits}],"text":"${words(1_000)}"}`, 120);
    for (const number of digits) expect(clipped).toContain(number);
    expect(() => JSON.parse(clipped)).not.toThrow();
  });

  test("keeps the layout of pretty-printed JSON", () => {
    const value = { name: "a", list: Array.from({ length: 200 }, (_, index) => [index, String(index)]) };
    for (const indent of [2, "\t"]) {
      const clipped = clip(JSON.stringify(value, null, indent), 120);
      expect(clipped).toBe(JSON.stringify(JSON.parse(clipped), null, indent));
    }
  });

  test("hides deep levels, however deep", () => {
    const depth = 1_000_000;
    const clipped = clip("[".repeat(depth) + "]".repeat(depth), 100);
    expect(clipped).toMatch(/^\[{17}"\[1 item here: 4\d\d,\d+ tokens hidden in fold clip-1x9k2ab\]"\]{17}$/);
  });

  test("takes sixteen million characters of numbers, and shows both ends in order", () => {
    const first = 10_000_000;
    const last = 12_003_456;
    const text = `[${Array.from({ length: last - first + 1 }, (_, index) => first + index)}]`;
    const clipped = clip(text, 1_000);
    expect(countTokens(clipped)).toBeLessThanOrEqual(1_000);
    const items: unknown[] = JSON.parse(clipped);
    const note = items.findIndex((item) => typeof item === "string");
    expect(items.slice(0, note)).toEqual(Array.from({ length: note }, (_, index) => first + index));
    const tail = items.slice(note + 1);
    expect(tail).toEqual(Array.from({ length: tail.length }, (_, index) => last - tail.length + 1 + index));
    expect(tail.length).toBeGreaterThan(100);
  });

  test("keeps the last items last in a list too long to be looked at whole", () => {
    const clipped: unknown[] = JSON.parse(clip(`[${"1,".repeat(20_000)}${"2,".repeat(20_000)}2]`, 15_000));
    const note = clipped.findIndex((item) => typeof item === "string");
    expect(new Set(clipped.slice(0, note))).toEqual(new Set([1]));
    expect(new Set(clipped.slice(note + 1))).toEqual(new Set([2]));
  });

  test("leaves what is not an array or object to be clipped as plain text", () => {
    const options = { budgetTokens: 50, countTokens, totalTokens: 1_000, foldId };
    for (const text of [`"${words(800)}"`, `{"a": ${words(800)}}`, `[${words(800)}`, "1".repeat(4_000), ""]) {
      expect(clipJson(text, options)).toBeUndefined();
    }
    expect(clip(`{"a": ${words(800)}}`, 50)).toMatch(/^\{"a": word .*tokens hidden.*word\}$/);
  });

  test("says so also where only white space was too much", () => {
    expect(clip(`[1,${" ".repeat(4_000)}2]`, 50)).toMatch(/^\[1, +…\[952 tokens hidden in fold .*\]… +2\]$/);
  });

  test("falls back to plain text when its frame alone is over the budget", () => {
    const clipped = clip(JSON.stringify({ text: words(800) }), 13);
    expect(clipped).toContain("[990 tokens hidden in fold clip-1x9k2ab]");
    expect(countTokens(clipped)).toBeLessThanOrEqual(13);
  });

  test("stays JSON within the budget, and what it shows is from the source", () => {
    const text = fc
      .record({ value: fc.jsonValue({ maxDepth: 5 }), indent: fc.constantFrom(0, 2, "\t"), times: fc.nat({ max: 30 }) })
      .map(({ value, indent, times }) => JSON.stringify({ value, list: Array(times).fill(value) }, null, indent));
    fc.assert(
      fc.property(text, fc.integer({ min: 40, max: 400 }), (original, budgetTokens) => {
        const clipped = clip(original, budgetTokens);
        expect(countTokens(clipped)).toBeLessThanOrEqual(budgetTokens);
        const parsed = JSON.parse(clipped);
        if (countTokens(original) <= budgetTokens) expect(clipped).toBe(original);
        else expect(clipped).toContain("in fold clip-1x9k2ab");
        expect(typeof parsed).toBe("object");
      }),
      PROPERTY_RUNS,
    );
  });
});
