import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../../test/support/property-runs.ts";
import { clipText } from "./clip-text.ts";

const countTokens = (text: string) => Math.ceil(JSON.stringify(text).length / 4);
const foldId = "clip-1x9k2ab";
const clip = (text: string, budgetTokens: number) => clipText(text, { budgetTokens, countTokens, foldId });
const notice = /\[[\d,]+ tokens hidden in fold clip-1x9k2ab\]/;

const loneSurrogates = (text: string) => text.match(/\p{Surrogate}/gu)?.length ?? 0;

/** Enough for any notice with this counter. */
const MINIMUM_TOKENS = 20;

describe("clipText", () => {
  test("leaves a text within the budget as it is", () => {
    expect(clip("short", 2)).toBe("short");
  });

  test("leaves a text as it is when the notice would be larger", () => {
    expect(clip("short but over", 1)).toBe("short but over");
  });

  test("keeps more of the head than of the tail, around a notice", () => {
    const text = Array.from({ length: 400 }, (_, index) => String(index).padStart(4, "0")).join(" ");
    const clipped = clip(text, 100);
    const [head = "", tail = ""] = clipped.split(notice);
    expect(clipped).toMatch(notice);
    expect(text.startsWith(head.slice(0, -1))).toBe(true);
    expect(text.endsWith(tail.slice(1))).toBe(true);
    expect(head.length).toBeGreaterThan(tail.length);
    expect(tail.length).toBeGreaterThan(100);
  });

  test("cuts at lines where there is one near", () => {
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index} of the log`);
    const [head = "", tail = ""] = clip(lines.join("\n"), 100).split(notice);
    expect(lines).toEqual(expect.arrayContaining(head.trimEnd().split("\n")));
    expect(lines).toEqual(expect.arrayContaining(tail.trimStart().split("\n")));
  });

  test("uses most of the budget", () => {
    for (const budgetTokens of [60, 300, 2_000]) {
      const used = countTokens(clip("some words and more ".repeat(2_000), budgetTokens));
      expect(used).toBeLessThanOrEqual(budgetTokens);
      expect(used).toBeGreaterThan(budgetTokens * 0.85);
    }
  });

  test("finds its size where the density of a text changes in the middle", () => {
    const weigh = (text: string) => [...text].reduce((sum, character) => sum + (character === " " ? 0.01 : 1), 0);
    const text = "x".repeat(3_000) + " ".repeat(300_000) + "y".repeat(3_000);
    const clipped = clipText(text, { budgetTokens: 1_000, countTokens: weigh, foldId });
    expect(weigh(clipped)).toBeLessThanOrEqual(1_000);
    expect(weigh(clipped)).toBeGreaterThan(700);
  });

  test("is the notice alone when the budget has no room for more", () => {
    expect(clip("words ".repeat(100), 5)).toMatch(new RegExp(`^${notice.source}$`));
  });

  test("does not cut inside a line end, a combined character or an emoji", () => {
    expect(clip("\r\n".repeat(2_000), 100).replaceAll("\r\n", "")).not.toContain("\r");
    expect(clip("e\u0301".repeat(2_000), 100).replaceAll("e\u0301", "")).not.toMatch(/[\u0301]/);
    expect(clip("👩‍💻".repeat(2_000), 100).replaceAll("👩‍💻", "")).toMatch(new RegExp(`^…${notice.source}…$`));
  });

  test.each([
    ["is constant", () => 1_000],
    ["is not a number", () => Number.NaN],
    ["is infinite", () => Number.POSITIVE_INFINITY],
    ["is negative for parts", (text: string) => (text.length > 9_000 ? 5_000 : -text.length)],
    ["jumps", (text: string) => (text.length * 7_919) % 1_009],
  ])("ends after a few counts with a counter that %s", (_, weird) => {
    let counts = 0;
    const countTokens = (text: string) => {
      counts++;
      return weird(text);
    };
    const clipped = clipText("x".repeat(10_000), { budgetTokens: 10, countTokens, foldId });
    expect(clipped.length).toBeLessThanOrEqual(10_000);
    expect(counts).toBeLessThan(40);
  });

  test("counts the whole text once and takes a line of sixteen million characters", () => {
    const text = "ab".repeat(8_000_000);
    let counted = 0;
    const countTokens = (part: string) => {
      counted += part.length;
      return Math.ceil(part.length / 4);
    };
    const clipped = clipText(text, { budgetTokens: 2_000, countTokens, foldId });
    expect(clipped.length).toBeLessThanOrEqual(8_000);
    expect(clipped).toMatch(/^[ab]+…\[3,99\d,\d+ tokens hidden in fold .*\]…[ab]+$/);
    expect(counted - text.length).toBeLessThan(100_000);
  });

  test("is within the budget, keeps both ends and makes no lone surrogate", () => {
    const unit = fc.oneof(
      fc.constantFrom("\ud83d", "\udc69", "👩‍💻", "e\u0301", "\r\n", "\n", "\0", " ", "[", "{", '"', "漢"),
      fc.string({ unit: "binary", minLength: 1, maxLength: 4 }),
    );
    const text = fc
      .array(unit, { maxLength: 60 })
      .chain((units) => fc.integer({ min: 1, max: 40 }).map((times) => units.join("").repeat(times)));
    fc.assert(
      fc.property(text, fc.integer({ min: MINIMUM_TOKENS, max: 400 }), (original, budgetTokens) => {
        const clipped = clip(original, budgetTokens);
        expect(countTokens(clipped)).toBeLessThanOrEqual(budgetTokens);
        if (countTokens(original) <= budgetTokens) expect(clipped).toBe(original);
        const [head = "", tail = ""] = clipped.split(notice);
        expect(original.startsWith(head.replace(/…$/, ""))).toBe(true);
        expect(original.endsWith(tail.replace(/^[…\n]/, ""))).toBe(true);
        expect(loneSurrogates(clipped)).toBeLessThanOrEqual(loneSurrogates(original));
      }),
      PROPERTY_RUNS,
    );
  });
});
