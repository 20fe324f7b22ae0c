import { describe, expect, test } from "vitest";
import { findModel } from "../models/registry.ts";
import { decideRent, relativePrices } from "./rent.ts";

const CLAUDE = { cacheRead: 0.1, cacheWrite: 1.25, output: 5 };

/** The turn at which a conversation that grows by `growth` tokens a turn is folded, and the prompt then. */
function firstFold({
  growth,
  foldedTokens,
  summaryTokens,
}: Record<"growth" | "foldedTokens" | "summaryTokens", number>) {
  let rentTokens = 0;
  for (let turn = 1; ; turn++) {
    const promptTokens = foldedTokens + turn * growth;
    const decision = decideRent(rentTokens, { promptTokens, foldedTokens, summaryTokens }, CLAUDE);
    if (decision.isDue) return { turn, promptTokens, foldTokens: decision.foldTokens };
    rentTokens = decision.rentTokens;
  }
}

describe("decideRent", () => {
  test("charges what carrying the foldable tokens through the cache costs, turn after turn", () => {
    const turn = { promptTokens: 60_000, foldedTokens: 10_000, summaryTokens: 2_000 };
    const first = decideRent(0, turn, CLAUDE);
    expect(first).toEqual({ rentTokens: 5_000, foldTokens: 1.15 * 10_000 + 5 * 2_000, isDue: false });
    expect(decideRent(first.rentTokens, turn, CLAUDE).rentTokens).toBe(10_000);
  });

  test("folds once the rent has reached the price of folding", () => {
    const turn = { promptTokens: 60_000, foldedTokens: 10_000, summaryTokens: 2_000 };
    expect(decideRent(16_499, turn, CLAUDE).isDue).toBe(false);
    expect(decideRent(16_501, turn, CLAUDE).isDue).toBe(true);
  });

  test("at steady growth fires where theory says: M + √(2F·ā/r)", () => {
    const { promptTokens, foldTokens } = firstFold({ growth: 500, foldedTokens: 12_000, summaryTokens: 2_000 });
    const expected = 12_000 + Math.sqrt((2 * foldTokens * 500) / CLAUDE.cacheRead);
    expect(Math.abs(promptTokens - expected) / expected).toBeLessThan(0.03);
  });

  test("waits less where folding asks no model, and longer where much would be read again", () => {
    const turn = { promptTokens: 60_000, foldedTokens: 10_000, summaryTokens: 2_000 };
    const foldTokens = (change: object) => decideRent(0, { ...turn, ...change }, CLAUDE).foldTokens;
    expect(foldTokens({ summaryTokens: 0 })).toBeLessThan(foldTokens({}));
    expect(foldTokens({ rereadTokens: 4_000 })).toBe(foldTokens({}) + 1.25 * 4_000);
  });

  test("never folds what folding would not make smaller", () => {
    const turn = { promptTokens: 9_000, foldedTokens: 10_000, summaryTokens: 0 };
    expect(decideRent(1_000_000, turn, CLAUDE).isDue).toBe(false);
  });
});

describe("relativePrices", () => {
  test("are a model's own, in units of its input price", () => {
    const prices = relativePrices(findModel("claude-sonnet-4-5"));
    expect(prices).toEqual({ cacheRead: expect.closeTo(0.1), cacheWrite: 1.25, output: 5 });
  });

  test("are unknown for models without a price", () => {
    expect(relativePrices(findModel("some-model-nobody-knows"))).toBeUndefined();
    expect(relativePrices(findModel("llama-3.1-70b"))).toBeUndefined();
  });
});
