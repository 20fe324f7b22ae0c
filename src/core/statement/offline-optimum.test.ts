import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import type { MeteredPrices } from "../models/model-entry.ts";
import { billWithFolds, billWithoutFolds, billWithSummaryAt } from "./bill.ts";
import type { FoldModel } from "./call-cost.ts";
import type { CallPrices, CallSize } from "./call-size.ts";
import { offlineOptimum, optimumSteps } from "./offline-optimum.ts";

const MINUTE = 60_000;
const CLAUDE: MeteredPrices = { type: "metered", input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 };
const PRICES: CallPrices = { usdPerMillion: CLAUDE, cacheTtlMs: 5 * MINUTE };

function callOf(index: number, arrivedTokens: number, atMs = index * MINUTE): CallSize {
  return { atMs, fixedTokens: 1_000, arrivedTokens, outputTokens: 10 };
}

describe("offlineOptimum", () => {
  test("folds nothing where so little follows that the fold would not be earned back", () => {
    const calls = [callOf(0, 20_000), callOf(1, 100), callOf(2, 100)];
    expect(offlineOptimum(calls, PRICES, { leftTokens: 4_000 }).folds).toEqual([]);
  });

  test("folds as early as it pays where many calls follow", () => {
    const calls = [callOf(0, 20_000), ...Array.from({ length: 30 }, (_, i) => callOf(i + 1, 100))];
    const bill = offlineOptimum(calls, PRICES, { leftTokens: 4_000 });
    expect(bill.folds).toEqual([1]);
    expect(bill.usd).toBeLessThan(billWithoutFolds(calls, PRICES).usd);
  });

  test("folds before the call that finds the cache cold", () => {
    const calls = [callOf(0, 20_000), callOf(1, 100), callOf(2, 100, 60 * MINUTE)];
    expect(offlineOptimum(calls, PRICES, { leftTokens: 4_000 }).folds).toEqual([2]);
  });

  test("folds where the prompt would not fit, though it does not pay", () => {
    const calls = [callOf(0, 6_000), callOf(1, 2_000)];
    expect(offlineOptimum(calls, PRICES, { leftTokens: 4_000 }).folds).toEqual([]);
    const bill = offlineOptimum(calls, PRICES, { leftTokens: 4_000, allowedTokens: 8_000 });
    expect(bill).toMatchObject({ folds: [1], largestPromptTokens: 7_000 });
  });

  test("clips a first prompt that does not fit", () => {
    const bill = offlineOptimum([callOf(0, 50_000)], PRICES, { leftTokens: 4_000, allowedTokens: 8_000 });
    expect(bill).toMatchObject({ folds: [0], largestPromptTokens: 8_000 });
  });

  test("folds in order to stay below dearer rates", () => {
    const longPrompts = [{ aboveTokens: 20_000, input: 10, cacheRead: 1, cacheWrite: 12.5, output: 50 }];
    const prices = { ...PRICES, usdPerMillion: { ...CLAUDE, longPrompts } };
    const calls = [callOf(0, 18_000), callOf(1, 2_000)];
    expect(offlineOptimum(calls, PRICES, { leftTokens: 4_000 }).folds).toEqual([]);
    expect(offlineOptimum(calls, prices, { leftTokens: 4_000 }).folds).toEqual([1]);
  });

  test("lets through what no fold can help: fixed tokens that alone exceed the limit", () => {
    const calls = [callOf(0, 10), callOf(1, 10)];
    const bill = offlineOptimum(calls, PRICES, { leftTokens: 4_000, allowedTokens: 500 });
    expect(bill.largestPromptTokens).toBe(1_000);
  });

  test("is nothing for no calls", () => {
    expect(offlineOptimum([], PRICES, { leftTokens: 4_000 })).toMatchObject({ usd: 0, folds: [] });
  });

  test("finds the schedule of ten thousand calls in a window of a million tokens", () => {
    const calls = Array.from({ length: 10_000 }, (_, i) => callOf(i, 500 + (i % 7) * 300, i * MINUTE));
    const bill = offlineOptimum(calls, PRICES, { leftTokens: 16_000, rereadTokens: 1_000, allowedTokens: 1_000_000 });
    expect(bill.folds.length).toBeGreaterThan(50);
    expect(bill.callsUsd).toHaveLength(10_000);
  });

  test("takes a step for each fold that is tried, so that nobody else has to wait for all of them", () => {
    const calls = Array.from({ length: 500 }, (_, i) => callOf(i, 1_000));
    const steps = optimumSteps(calls, PRICES, { leftTokens: 4_000 });
    let taken = 0;
    let last = steps.next();
    for (; last.done !== true; last = steps.next()) taken += 1;
    expect(taken).toBeGreaterThan(490);
    expect(last.value).toEqual(offlineOptimum(calls, PRICES, { leftTokens: 4_000 }));
  });

  test("says which number of the model is wrong", () => {
    expect(() => offlineOptimum([], PRICES, { leftTokens: -1 })).toThrow(/model\.leftTokens is -1/);
  });
});

const callSizes = fc
  .array(
    fc.record({
      pauseMs: fc.constantFrom(MINUTE, 2 * MINUTE, 10 * MINUTE),
      fixedTokens: fc.integer({ min: 900, max: 1_100 }),
      arrivedTokens: fc.integer({ min: 0, max: 9_000 }),
      outputTokens: fc.integer({ min: 0, max: 500 }),
    }),
    { maxLength: 9 },
  )
  .map((steps) => {
    let atMs = 0;
    return steps.map(({ pauseMs, ...sizes }): CallSize => {
      atMs += pauseMs;
      return { atMs, ...sizes };
    });
  });

const callPrices: fc.Arbitrary<CallPrices> = fc
  .record({
    cacheRead: fc.double({ min: 0.01, max: 1.5, noNaN: true }),
    cacheWrite: fc.double({ min: 1, max: 2, noNaN: true }),
    // a discount for long prompts is unheard of, and must be billed right all the same
    longFactor: fc.constantFrom(1, 2, 0.5),
    cacheTtlMs: fc.constantFrom(0, 5 * MINUTE, 60 * MINUTE),
  })
  .map(({ cacheTtlMs, longFactor, cacheRead, cacheWrite }) => {
    const rates = { input: 1, output: 5, cacheRead, cacheWrite };
    const long = {
      input: longFactor,
      output: 7,
      cacheRead: longFactor * cacheRead,
      cacheWrite: longFactor * cacheWrite,
    };
    const longPrompts = longFactor === 1 ? [] : [{ aboveTokens: 15_000, ...long }];
    return { cacheTtlMs, usdPerMillion: { type: "metered", ...rates, longPrompts } };
  });

const foldModels: fc.Arbitrary<Required<FoldModel>> = fc.record({
  leftTokens: fc.integer({ min: 500, max: 6_000 }),
  rereadTokens: fc.integer({ min: 0, max: 1_000 }),
  summaryTokens: fc.constantFrom(0, 0, 300),
  allowedTokens: fc.integer({ min: 4_000, max: 60_000 }),
});

/** Every schedule there is, tried one after the other. */
function cheapestOfAll(calls: readonly CallSize[], prices: CallPrices, model: Required<FoldModel>): number {
  let cheapest = Number.POSITIVE_INFINITY;
  for (let schedule = 0; schedule < 2 ** calls.length; schedule++) {
    const folds = calls.flatMap((_, i) => ((schedule >> i) & 1 ? [i] : []));
    const bill = billWithFolds(calls, prices, { ...model, folds });
    if (bill.largestPromptTokens <= model.allowedTokens) cheapest = Math.min(cheapest, bill.usd);
  }
  return cheapest;
}

describe("offlineOptimum, for any calls and prices", () => {
  test("costs what the cheapest of all schedules that fit costs, and fits", () => {
    fc.assert(
      fc.property(callSizes, callPrices, foldModels, (calls, prices, model) => {
        const bill = offlineOptimum(calls, prices, model);
        expect(bill.usd).toBeCloseTo(cheapestOfAll(calls, prices, model), 10);
        expect(bill.largestPromptTokens).toBeLessThanOrEqual(model.allowedTokens);
      }),
      PROPERTY_RUNS,
    );
  });

  test("costs no more where folds are cheaper, and without a limit no more than folding nothing", () => {
    fc.assert(
      fc.property(callSizes, callPrices, foldModels, (calls, prices, model) => {
        const { usd } = offlineOptimum(calls, prices, model);
        const freeRereads = offlineOptimum(calls, prices, { ...model, rereadTokens: 0, summaryTokens: 0 });
        const unlimited = offlineOptimum(calls, prices, { ...model, allowedTokens: 1_000_000 });
        expect(freeRereads.usd).toBeLessThanOrEqual(usd + 1e-9);
        expect(unlimited.usd).toBeLessThanOrEqual(billWithoutFolds(calls, prices).usd + 1e-9);
      }),
      PROPERTY_RUNS,
    );
  });

  test("a summary never costs less than the cheapest schedule of folds that leave as little for nothing", () => {
    fc.assert(
      fc.property(callSizes, callPrices, (calls, prices) => {
        const policy = { share: 0.8, contextWindow: 20_000, summaryTokens: 400, keptArrivals: 1 };
        const summary = billWithSummaryAt(calls, prices, policy);
        // a summary leaves 400 tokens and the newest arrival, these folds at most so much
        const model = { leftTokens: 400, allowedTokens: Math.max(20_000, summary.largestPromptTokens) };
        expect(offlineOptimum(calls, prices, model).usd).toBeLessThanOrEqual(summary.usd + 1e-9);
      }),
      PROPERTY_RUNS,
    );
  });
});
