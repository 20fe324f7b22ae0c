import type { MeteredPrices } from "../models/model-entry.ts";
import type { Steps } from "../steps.ts";
import { billWithoutFolds, billWithSummaryAt } from "./bill.ts";
import type { CallSize } from "./call-size.ts";
import { optimumSteps } from "./offline-optimum.ts";
import { CACHE_LIFETIME_MS, type RealCall, unfoldedCalls } from "./real-calls.ts";
import { type RequestRecord, reportedPrompt } from "./request-record.ts";
import type { RequestCosts } from "./statement.ts";

/** What a request would have cost with other policies. */
export type Alternatives = Pick<RequestCosts, "withoutFoldsUsd" | "withSummaryAt80Usd" | "optimumUsd">;

/**
 * The history's entry of one request. A request without a known cost, or without alternatives, counts as costing the same in all of them, so
 * that no saving is claimed for it.
 */
export function costsOf({ record, isWarm, sharedTokens }: RealCall, bill: Alternatives | undefined): RequestCosts {
  const { at, promptTokens, hiddenTokens, costUsd, condenseUsd, usage } = record;
  const paid = costUsd ?? 0;
  const same = { withoutFoldsUsd: paid, withSummaryAt80Usd: paid, optimumUsd: paid };
  const error = forecastError(record);
  return {
    at,
    promptTokens,
    hiddenTokens,
    spentUsd: paid + condenseUsd,
    ...(costUsd === undefined ? same : (bill ?? same)),
    ...(usage === undefined
      ? {}
      : {
          cacheHits: {
            expectedTokens: isWarm ? sharedTokens : 0,
            reportedTokens: usage.cacheReadTokens ?? 0,
          },
        }),
    ...(error === undefined ? {} : { forecastErrorPercent: error }),
  };
}

const SUMMARY_SHARE = 0.8;

/**
 * What each of successive calls of one model would have cost with other policies. `leftTokens` is the size that folds of the optimum leave
 * where none of the calls was folded.
 */
export function* alternativeCosts(
  calls: readonly RealCall[],
  prices: MeteredPrices,
  leftTokens: number,
): Steps<readonly Alternatives[]> {
  const callPrices = { usdPerMillion: prices, cacheTtlMs: CACHE_LIFETIME_MS };
  const sizes = unfoldedCalls(calls);
  // The agent reads content again because a fold hid it: without folds, it would not have.
  const withoutRereads = sizes.map((size, index) => withoutReread(size, calls[index]));
  const contextWindow = calls.reduce((most, { record }) => Math.max(most, record.contextWindow), 0);
  const allowedTokens = calls.reduce((most, { record }) => Math.max(most, record.allowedTokens), 0);
  const foldModel = { leftTokens: meanLeft(calls) ?? leftTokens, allowedTokens };
  yield;
  const unfolded = billWithoutFolds(withoutRereads, callPrices);
  yield;
  const summarized = billWithSummaryAt(sizes, callPrices, { share: SUMMARY_SHARE, contextWindow });
  yield;
  const optimum = yield* optimumSteps(sizes, callPrices, foldModel);
  yield;
  return calls.map((_, index) => ({
    withoutFoldsUsd: unfolded.callsUsd[index] ?? 0,
    withSummaryAt80Usd: summarized.callsUsd[index] ?? 0,
    optimumUsd: optimum.callsUsd[index] ?? 0,
  }));
}

/** The tokens that folds left of the conversation, on average; undefined where nothing was folded. */
function meanLeft(calls: readonly RealCall[]): number | undefined {
  const folded = calls.filter(({ record }) => record.foldIds.length > 0);
  if (folded.length === 0) return undefined;
  return folded.reduce((sum, { shownTokens }) => sum + shownTokens, 0) / folded.length;
}

function withoutReread(size: CallSize, call: RealCall | undefined): CallSize {
  const { rereadTokens = 0 } = call?.record ?? {};
  return { ...size, arrivedTokens: Math.max(0, size.arrivedTokens - rereadTokens) };
}

export function sumAlternatives(history: readonly RequestCosts[]): Alternatives {
  const sum = { withoutFoldsUsd: 0, withSummaryAt80Usd: 0, optimumUsd: 0 };
  for (const { withoutFoldsUsd, withSummaryAt80Usd, optimumUsd } of history) {
    sum.withoutFoldsUsd += withoutFoldsUsd;
    sum.withSummaryAt80Usd += withSummaryAt80Usd;
    sum.optimumUsd += optimumUsd;
  }
  return sum;
}

/** The error of a request's forecast in percent of the reported prompt; undefined where no usage was reported. */
function forecastError({ promptTokens, usage }: RequestRecord): number | undefined {
  const reported = reportedPrompt(usage);
  return reported === undefined ? undefined : (100 * Math.abs(promptTokens - reported)) / reported;
}
