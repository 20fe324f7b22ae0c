import { describe, expect, test } from "vitest";
import type { MeteredPrices } from "../models/model-entry.ts";
import { billWithFolds, billWithoutFolds, billWithSummaryAt } from "./bill.ts";
import type { CallPrices, CallSize } from "./call-size.ts";

const MINUTE = 60_000;
const CLAUDE: MeteredPrices = { type: "metered", input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 };
const PRICES: CallPrices = { usdPerMillion: CLAUDE, cacheTtlMs: 5 * MINUTE };

/** A call each minute with 1,000 fixed tokens and 10 tokens of output, unless told otherwise. */
function callsOf(...changes: readonly Partial<CallSize>[]): readonly CallSize[] {
  return changes.map((change, i) => ({
    atMs: i * MINUTE,
    fixedTokens: 1_000,
    arrivedTokens: 2_000,
    outputTokens: 10,
    ...change,
  }));
}

/** USD per million times tokens, in USD. */
function usd(...parts: readonly (readonly [rate: number, tokens: number])[]): number {
  return parts.reduce((sum, [rate, tokens]) => sum + (rate * tokens) / 1_000_000, 0);
}

function expectUsd(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toEqual(expected.map((value) => expect.closeTo(value, 12)));
}

describe("billWithoutFolds", () => {
  test("writes the first prompt, then reads what it shares with the one before and writes what came", () => {
    const bill = billWithoutFolds(callsOf({}, {}, { arrivedTokens: 500 }), PRICES);
    const first = usd([1.25, 3_000], [5, 10]);
    const second = usd([0.1, 3_000], [1.25, 2_000], [5, 10]);
    const third = usd([0.1, 5_000], [1.25, 500], [5, 10]);
    expectUsd(bill.callsUsd, [first, second, third]);
    expect(bill).toMatchObject({ folds: [], coldCalls: 1, largestPromptTokens: 5_500 });
    expect(bill.usd).toBeCloseTo(first + second + third, 12);
  });

  test("writes everything again after a pause that is longer than the cache lives, and not after one as long", () => {
    const pause = (ms: number) => billWithoutFolds(callsOf({ atMs: 0 }, { atMs: ms }), PRICES);
    expect(pause(5 * MINUTE).callsUsd[1]).toBeCloseTo(usd([0.1, 3_000], [1.25, 2_000], [5, 10]), 12);
    expect(pause(5 * MINUTE + 1).callsUsd[1]).toBeCloseTo(usd([1.25, 5_000], [5, 10]), 12);
    expect(pause(5 * MINUTE + 1).coldCalls).toBe(2);
  });

  test("takes a clock that goes backwards for no pause", () => {
    const bill = billWithoutFolds(callsOf({ atMs: 90 * MINUTE }, { atMs: 0 }), PRICES);
    expect(bill.coldCalls).toBe(1);
  });

  test("charges plain input where a model has no cache", () => {
    const prices = { usdPerMillion: { type: "metered", input: 2, output: 8 }, cacheTtlMs: 0 } as const;
    const bill = billWithoutFolds(callsOf({ atMs: 0 }, { atMs: 0 }), prices);
    expectUsd(bill.callsUsd, [usd([2, 3_000], [8, 10]), usd([2, 5_000], [8, 10])]);
  });

  test("bills a long prompt at the rates of its tier, the reply too", () => {
    const longPrompts = [{ aboveTokens: 4_000, input: 2, cacheRead: 0.2, cacheWrite: 2.5, output: 10 }];
    const bill = billWithoutFolds(callsOf({}, {}), { ...PRICES, usdPerMillion: { ...CLAUDE, longPrompts } });
    expectUsd(bill.callsUsd, [usd([1.25, 3_000], [5, 10]), usd([0.2, 3_000], [2.5, 2_000], [10, 10])]);
  });

  test("writes fixed tokens that were added, and shares no more of them than are left", () => {
    const grown = billWithoutFolds(callsOf({}, { fixedTokens: 1_300 }), PRICES);
    expect(grown.callsUsd[1]).toBeCloseTo(usd([0.1, 3_000], [1.25, 2_300], [5, 10]), 12);
    const shrunk = billWithoutFolds(callsOf({}, { fixedTokens: 400 }), PRICES);
    expect(shrunk.callsUsd[1]).toBeCloseTo(usd([0.1, 2_400], [1.25, 2_000], [5, 10]), 12);
  });

  test("is nothing for no calls", () => {
    expect(billWithoutFolds([], PRICES)).toEqual({
      usd: 0,
      callsUsd: [],
      folds: [],
      coldCalls: 0,
      largestPromptTokens: 0,
    });
  });

  test("says which number is wrong", () => {
    expect(() => billWithoutFolds(callsOf({}, { arrivedTokens: Number.NaN }), PRICES)).toThrow(
      /calls\[1\]\.arrivedTokens is NaN/,
    );
    expect(() => billWithoutFolds([], { ...PRICES, cacheTtlMs: -1 })).toThrow(/prices\.cacheTtlMs is -1/);
  });
});

describe("billWithFolds", () => {
  test("keeps the fixed tokens cached, writes what is left and charges what is read again", () => {
    const calls = callsOf({ arrivedTokens: 9_000 }, { arrivedTokens: 100 }, {});
    const bill = billWithFolds(calls, PRICES, { folds: [1], leftTokens: 4_000, rereadTokens: 700 });
    const folded = usd([0.1, 1_000], [1.25, 4_000], [5, 10], [1.25 + 0.1, 700]);
    const after = usd([0.1, 5_000], [1.25, 2_000], [5, 10]);
    expectUsd(bill.callsUsd, [usd([1.25, 10_000], [5, 10]), folded, after]);
    expect(bill).toMatchObject({ folds: [1], largestPromptTokens: 10_000 });
  });

  test("leaves the newest arrival and half of the budget where that is more, as the rent rule does", () => {
    const calls = callsOf({ arrivedTokens: 9_000 }, { arrivedTokens: 5_000 });
    const bill = billWithFolds(calls, PRICES, { folds: [1], leftTokens: 4_000 });
    expect(bill.callsUsd[1]).toBeCloseTo(usd([0.1, 1_000], [1.25, 7_000], [5, 10]), 12);
  });

  test("clips what is left to the largest prompt that may be sent", () => {
    const calls = callsOf({ arrivedTokens: 3_000 }, { arrivedTokens: 5_000 });
    const bill = billWithFolds(calls, PRICES, { folds: [1], leftTokens: 4_000, allowedTokens: 4_500 });
    expect(bill.callsUsd[1]).toBeCloseTo(usd([0.1, 1_000], [1.25, 3_500], [5, 10]), 12);
  });

  test("charges a condensing model: the prompt read, the summary written", () => {
    const calls = callsOf({ arrivedTokens: 9_000 }, { arrivedTokens: 100 });
    const bill = billWithFolds(calls, PRICES, { folds: [1], leftTokens: 4_000, summaryTokens: 500 });
    const asked = usd([0.1, 10_100], [5, 500]);
    expect(bill.callsUsd[1]).toBeCloseTo(usd([0.1, 1_000], [1.25, 4_000], [5, 10]) + asked, 12);
  });

  test("does not make a fold that would hide nothing", () => {
    const bill = billWithFolds(callsOf({}, {}), PRICES, { folds: [0, 1], leftTokens: 4_000, rereadTokens: 700 });
    expect(bill).toEqual(billWithoutFolds(callsOf({}, {}), PRICES));
  });

  test("writes all of it where the cache is cold", () => {
    const calls = callsOf({ arrivedTokens: 9_000 }, { arrivedTokens: 100, atMs: 60 * MINUTE });
    const bill = billWithFolds(calls, PRICES, { folds: [1], leftTokens: 4_000 });
    expect(bill.callsUsd[1]).toBeCloseTo(usd([1.25, 5_000], [5, 10]), 12);
  });
});

describe("billWithSummaryAt", () => {
  const policy = { share: 0.8, contextWindow: 10_000, summaryTokens: 200, keptArrivals: 1 };

  test("summarises before the call that would exceed the share, and pays for the summary", () => {
    const bill = billWithSummaryAt(callsOf({}, {}, {}, {}, {}), PRICES, policy);
    // prompts of 3,000, 5,000 and 7,000 are under 8,000; the next would be 9,000
    expect(bill.folds).toEqual([3]);
    const summary = usd([0.1, 9_000], [5, 200]);
    expect(bill.callsUsd[3]).toBeCloseTo(usd([0.1, 1_000], [1.25, 2_200], [5, 10]) + summary, 12);
    expect(bill.callsUsd[4]).toBeCloseTo(usd([0.1, 3_200], [1.25, 2_000], [5, 10]), 12);
  });

  test("sends a prompt that is exactly the share as it is", () => {
    const calls = callsOf({}, { arrivedTokens: 5_000 });
    expect(billWithSummaryAt(calls, PRICES, policy).folds).toEqual([]);
    expect(billWithSummaryAt(callsOf({}, { arrivedTokens: 5_001 }), PRICES, policy).folds).toEqual([1]);
  });

  test("keeps the newest two arrivals and writes 2,000 tokens unless told otherwise", () => {
    const calls = callsOf({ arrivedTokens: 60_000 }, { arrivedTokens: 10_000 }, { arrivedTokens: 20_000 });
    const bill = billWithSummaryAt(calls, PRICES, { share: 0.8, contextWindow: 100_000 });
    expect(bill.folds).toEqual([2]);
    const summary = usd([0.1, 91_000], [5, 2_000]);
    expect(bill.callsUsd[2]).toBeCloseTo(usd([0.1, 1_000], [1.25, 32_000], [5, 10]) + summary, 12);
  });

  test("asks for no summary that would leave as much as there is", () => {
    const bill = billWithSummaryAt(callsOf({ arrivedTokens: 8_500 }), PRICES, policy);
    expect(bill.folds).toEqual([]);
  });

  test("refuses a share that is no number", () => {
    expect(() => billWithSummaryAt([], PRICES, { share: Number.NaN, contextWindow: 1 })).toThrow(/policy\.share/);
  });
});
