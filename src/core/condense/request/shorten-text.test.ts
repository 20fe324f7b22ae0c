import { expect, test } from "vitest";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { shortenText } from "./shorten-text.ts";

const WORDS = Array.from({ length: 3_000 }, (_, index) => `word${index}`).join(" ");

test("a text within the budget stays", () => {
  expect(shortenText("a few words", 3, countTextTokens)).toBe("a few words");
});

test.each([50, 400, 4_000])("a text over %i tokens keeps its beginning and its end, and says so", (budgetTokens) => {
  const short = shortenText(WORDS, budgetTokens, countTextTokens);
  expect(countTextTokens(short)).toBeLessThanOrEqual(budgetTokens);
  expect(countTextTokens(short)).toBeGreaterThan(budgetTokens * 0.8);
  expect(short).toMatch(/^word0 word1 .*\n\[… shortened …\]\n.* word2998 word2999$/s);
});

test("no character is cut in two", () => {
  const short = shortenText("👨‍👩‍👧‍👦".repeat(2_000), 200, countTextTokens);
  expect(Buffer.from(short).toString()).toBe(short);
  expect(countTextTokens(short)).toBeLessThanOrEqual(200);
});
