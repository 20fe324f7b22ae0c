import { describe, expect, test } from "vitest";
import type { RequestItem } from "./request-items.ts";
import { measureItem, type SplitOptions, splitIntoParts } from "./split-into-parts.ts";

/** One token for each character, so that sizes can be told at a glance. */
const countTokens = (text: string) => text.length;
const item = (body: string, fields: Partial<RequestItem> = {}): RequestItem => ({
  role: "user",
  messageIndex: Number.parseInt(body, 10) || 0,
  open: "",
  body,
  close: "",
  ...fields,
});

function split(items: readonly RequestItem[], options: Omit<SplitOptions, "countTokens">) {
  const sized = items.map((each) => measureItem(each, countTokens));
  return splitIntoParts(sized, { ...options, countTokens }).map((part) => part.map(({ open, body }) => open + body));
}

/** "7 xxx…" of a given size. */
const sized = (index: number, tokens: number) => item(`${index} `.padEnd(tokens - 5, "x"));

test("parts are filled in order, and no fuller than their budget", () => {
  const parts = split([sized(1, 60), sized(2, 60), sized(3, 80), sized(4, 130)], { budgetTokens: 130, maxParts: 4 });
  expect(parts.map((part) => part.map((body) => Number.parseInt(body, 10)))).toEqual([[1, 2], [3], [4]]);
});

test("nothing to split is no part", () => {
  expect(split([], { budgetTokens: 100, maxParts: 4 })).toEqual([]);
});

test("the longest items are shortened first, to the same length", () => {
  const parts = split([sized(1, 90), sized(2, 5_000), sized(3, 900)], { budgetTokens: 400, maxParts: 2 });
  const [first = "", second = "", third = ""] = parts.flat();
  expect(first).toHaveLength(85);
  expect(second).toMatch(/^2 x+\n\[… shortened …\]\nx+$/);
  expect([second.length, third.length].every((length) => length > 150 && length < 200)).toBe(true);
});

describe("when even the shortest items are too many", () => {
  const many = Array.from({ length: 50 }, (_, index) => sized(index + 1, 60));
  const indexes = (parts: readonly (readonly string[])[]) =>
    parts.map((part) => part.map((body) => Number.parseInt(body, 10)));

  test.each([
    [100, 1],
    [100, 4],
    [200, 3],
    [64, 5],
  ])("parts of %i tokens are never more than %i, and end with the newest", (budgetTokens, maxParts) => {
    const parts = split(many, { budgetTokens, maxParts });
    expect(parts.length).toBeLessThanOrEqual(maxParts);
    for (const part of parts)
      expect(part.reduce((sum, body) => sum + body.length + 5, 0)).toBeLessThanOrEqual(budgetTokens);
    expect(indexes(parts).flat().at(-1)).toBe(50);
  });

  test("the oldest stay too where there is room, and the gap is told", () => {
    const [first = [], ...others] = indexes(split(many, { budgetTokens: 600, maxParts: 2 }));
    expect(first[0]).toBe(1);
    expect([first, ...others].flat().filter(Number.isNaN)).toHaveLength(1);
    const kept = [first, ...others].flat().filter((index) => !Number.isNaN(index));
    expect(kept).toEqual(kept.toSorted((a, b) => a - b));
    expect(kept.length).toBeGreaterThan(14);
  });
});

test("an item whose fence alone is too large is left out", () => {
  const items = [sized(1, 60), item("data", { open: `<tool_output tool="${"n".repeat(200)}">\n` }), sized(3, 60)];
  const parts = split(items, { budgetTokens: 150, maxParts: 4 });
  expect(parts.flat().join("")).not.toContain("nnn");
  expect(parts.flat().at(-1)).toMatch(/^3 /);
});
