import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import type { FoldCosts, RequestCosts } from "../api/statement-types.ts";
import { balanceText, foldBalances, statementSeries } from "./statement-series.ts";

const REQUEST: RequestCosts = {
  at: 0,
  promptTokens: 40,
  hiddenTokens: 20,
  spentUsd: 1.5,
  withoutFoldsUsd: 3,
  withSummaryAt80Usd: 2,
  optimumUsd: 1,
  cacheHits: { expectedTokens: 40, reportedTokens: 30 },
  forecastErrorPercent: 2.5,
};

const FOLD: FoldCosts = { request: 3, at: 60_000, cause: "pays", hiddenTokens: 900, costUsd: 0.02, earnedUsd: 0.05 };

test("money adds up, with the alternatives beside what was spent", () => {
  const { money } = statementSeries([REQUEST, REQUEST]);
  expect(Object.fromEntries(money.map(({ name, values }) => [name, values]))).toEqual({
    "nothing done": [3, 6],
    "a summary at 80 %": [2, 4],
    "the optimum": [1, 2],
    spent: [1.5, 3],
  });
});

test("sizes with and without what is hidden, the cache as expected and reported, the forecast's error", () => {
  const { cacheHits: _, forecastErrorPercent: __, ...unreported } = REQUEST;
  const { sizes, cache, forecast } = statementSeries([REQUEST, unreported]);
  expect(sizes.map(({ values }) => values)).toEqual([
    [60, 60],
    [40, 40],
  ]);
  expect(cache.map(({ values }) => values)).toEqual([
    [1, undefined],
    [0.75, undefined],
  ]);
  expect(forecast.map(({ values }) => values)).toEqual([[2.5, undefined]]);
});

test("every line has a value for each request, and no share is above the whole", () => {
  const anyRequest = fc.record({
    promptTokens: fc.nat(1_000),
    hiddenTokens: fc.nat(1_000),
    cacheHits: fc.record({ expectedTokens: fc.nat(3_000), reportedTokens: fc.nat(3_000) }),
  });
  fc.assert(
    fc.property(fc.array(anyRequest), (parts) => {
      const { money, sizes, cache, forecast } = statementSeries(parts.map((part) => ({ ...REQUEST, ...part })));
      for (const { values } of [...money, ...sizes, ...cache, ...forecast]) expect(values).toHaveLength(parts.length);
      for (const { values } of cache) for (const value of values) expect(value).toBeLessThanOrEqual(1);
    }),
    PROPERTY_RUNS,
  );
});

test("folds that paid and folds that did not, the newest first", () => {
  const balances = foldBalances([FOLD, { ...FOLD, request: 9, earnedUsd: 0.01 }]);
  expect(balances.map(({ request, hasPaid }) => [request, hasPaid])).toEqual([
    [9, false],
    [3, true],
  ]);
  expect(balances[0]?.netUsd).toBeCloseTo(-0.01, 12);
  expect(balanceText(balances)).toBe(
    "1 of 2 folds have paid for themselves; together they earned $0.0200 more than they cost.",
  );
  expect(balanceText(foldBalances([{ ...FOLD, earnedUsd: 0 }]))).toBe(
    "The one fold has not yet paid for itself: it cost $0.0200 more than it earned.",
  );
  expect(balanceText(foldBalances([FOLD]))).toBe(
    "The one fold has paid for itself: it earned $0.0300 more than it cost.",
  );
});
