import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import type { ModelEntry } from "../models/model-entry.ts";
import { findModel } from "../models/registry.ts";
import { economyTokens } from "./economy.ts";
import { decideRent, type RelativePrices, type RentedConversation, relativePrices, tokensLeft } from "./rent.ts";

const CLAUDE: RelativePrices = { cacheRead: 0.1, cacheWrite: 1.25, output: 5 };
const AT_ONE_PRICE = { now: CLAUDE, folded: CLAUDE };

const CONVERSATION: RentedConversation = {
  tokens: 30_000,
  newestTurnTokens: 2_000,
  budgetTokens: 16_000,
  growthTokens: 1_500,
  rereadTokens: 1_000,
  isCold: false,
};

describe("decideRent", () => {
  test("charges a fold with writing what it leaves and what is read again, and with nothing else", () => {
    const { foldCost, leftTokens, gainTokens } = decideRent(CONVERSATION, AT_ONE_PRICE);
    expect(foldCost).toBeCloseTo(1.15 * 16_000 + 1.35 * 1_000);
    expect([leftTokens, gainTokens]).toEqual([16_000, 14_000]);
  });

  test("charges a condensing model with what it reads and writes", () => {
    const free = decideRent(CONVERSATION, AT_ONE_PRICE).foldCost;
    const condensedBy = { promptTokens: 50_000, summaryTokens: 2_000 };
    expect(decideRent({ ...CONVERSATION, condensedBy }, AT_ONE_PRICE).foldCost - free).toBeCloseTo(
      0.1 * 50_000 + 5 * 2_000,
    );
  });

  test("folds where the gain reaches 0.8·√(2·F·ā/r)", () => {
    const needed = 0.8 * Math.sqrt((2 * (1.15 * 16_000 + 1.35 * 1_000) * 1_500) / 0.1);
    expect(decideRent(CONVERSATION, AT_ONE_PRICE).neededGainTokens).toBeCloseTo(needed);
    expect(decideRent({ ...CONVERSATION, tokens: 16_000 + needed - 1 }, AT_ONE_PRICE).reason).toBe("waits");
    expect(decideRent({ ...CONVERSATION, tokens: 16_000 + needed + 1 }, AT_ONE_PRICE).reason).toBe("pays");
  });

  test("leaves half of the budget beside a newest turn that fills the rest of it, or more", () => {
    expect(tokensLeft({ budgetTokens: 16_000, newestTurnTokens: 40_000 })).toBe(48_000);
    expect(tokensLeft({ budgetTokens: 16_000, newestTurnTokens: 10_000 })).toBe(18_000);
    expect(tokensLeft({ budgetTokens: 16_000, newestTurnTokens: 2_000 })).toBe(16_000);
    expect(decideRent({ ...CONVERSATION, tokens: 60_000, newestTurnTokens: 40_000 }, AT_ONE_PRICE).gainTokens).toBe(
      12_000,
    );
  });

  test("a cold cache asks for a fold as soon as it hides more than is read again", () => {
    const cold = { ...CONVERSATION, isCold: true };
    expect(decideRent({ ...cold, tokens: 16_000 + 1_000 }, AT_ONE_PRICE).reason).toBe("waits");
    expect(decideRent({ ...cold, tokens: 16_000 + 1_100 }, AT_ONE_PRICE).reason).toBe("cold");
  });

  test("hides at least what is demanded of a fold", () => {
    const demanding = { ...CONVERSATION, isCold: true, leastGainTokens: 25_000 };
    expect(decideRent({ ...demanding, tokens: 40_900 }, AT_ONE_PRICE).reason).toBe("waits");
    expect(decideRent({ ...demanding, tokens: 41_100 }, AT_ONE_PRICE).reason).toBe("pays");
  });

  test("waits for the limit where reading from the cache costs nothing", () => {
    const free = { ...CLAUDE, cacheRead: 0 };
    expect(decideRent({ ...CONVERSATION, tokens: 1_000_000 }, { now: free, folded: free }).reason).toBe("waits");
  });

  test("folds earlier where a long prompt is dearer than the short one that is left", () => {
    const long = { cacheRead: 0.2, cacheWrite: 2.5, output: 7.5 };
    const usual = decideRent(CONVERSATION, AT_ONE_PRICE).neededGainTokens;
    expect(decideRent(CONVERSATION, { now: long, folded: CLAUDE }).neededGainTokens).toBeCloseTo(usual / Math.sqrt(2));
  });

  test("never folds what it would not make smaller", () => {
    fc.assert(
      fc.property(conversations(), (conversation) => {
        const { reason, gainTokens } = decideRent(conversation, AT_ONE_PRICE);
        return gainTokens > 0 || reason === "waits";
      }),
      PROPERTY_RUNS,
    );
  });

  test("never folds twice for the same reason: what a fold leaves asks for none", () => {
    fc.assert(
      fc.property(conversations(), (conversation) => {
        const { reason, leftTokens } = decideRent(conversation, AT_ONE_PRICE);
        const folded = { ...conversation, tokens: leftTokens };
        return reason === "waits" || decideRent(folded, AT_ONE_PRICE).reason === "waits";
      }),
      PROPERTY_RUNS,
    );
  });
});

function conversations(): fc.Arbitrary<RentedConversation> {
  return fc.record({
    tokens: fc.nat(2_000_000),
    newestTurnTokens: fc.nat(100_000),
    budgetTokens: fc.integer({ min: 1_000, max: 64_000 }),
    growthTokens: fc.nat(8_000),
    rereadTokens: fc.nat(20_000),
    isCold: fc.boolean(),
    leastGainTokens: fc.nat(20_000),
  });
}

describe("relativePrices", () => {
  test("are a model's own, in units of its input price", () => {
    const prices = relativePrices(findModel("claude-sonnet-4-5"));
    expect(prices?.(50_000)).toEqual({ cacheRead: expect.closeTo(0.1), cacheWrite: 1.25, output: 5 });
  });

  test("are dearer where the prompt is in a dearer tier", () => {
    const prices = relativePrices(findModel("gemini-2.5-pro"));
    expect(prices?.(200_000).cacheRead).toBeCloseTo(0.1);
    expect(prices?.(200_001)).toEqual({ cacheRead: expect.closeTo(0.2), cacheWrite: 2, output: 12 });
  });

  test("are unknown for models without a price", () => {
    const unpriced: readonly ModelEntry[] = [findModel("some-model-nobody-knows"), findModel("llama-3.1-70b")];
    expect(unpriced.map(relativePrices)).toEqual([undefined, undefined]);
  });
});

describe("economyTokens", () => {
  test("are 32k, 16k and 8k, or the number itself", () => {
    expect((["careful", "balanced", "thrifty", 12_345] as const).map(economyTokens)).toEqual([
      32_000, 16_000, 8_000, 12_345,
    ]);
  });
});
