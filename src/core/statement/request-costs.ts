import type { RealCall } from "./real-calls.ts";
import { type RequestRecord, reportedPrompt } from "./request-record.ts";
import type { RequestCosts } from "./statement.ts";

/** What a request would have cost otherwise. */
export type Alternatives = Pick<RequestCosts, "withoutFoldsUsd" | "withSummaryAt80Usd" | "optimumUsd">;

/**
 * One request in the history. Only what has a real cost can be compared; where nobody knows what it would have cost otherwise, no saving is
 * claimed.
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

export function sumAlternatives(history: readonly RequestCosts[]): Alternatives {
  const sum = { withoutFoldsUsd: 0, withSummaryAt80Usd: 0, optimumUsd: 0 };
  for (const { withoutFoldsUsd, withSummaryAt80Usd, optimumUsd } of history) {
    sum.withoutFoldsUsd += withoutFoldsUsd;
    sum.withSummaryAt80Usd += withSummaryAt80Usd;
    sum.optimumUsd += optimumUsd;
  }
  return sum;
}

/** How far the foretold prompt of a request was off, in percent; undefined where no usage was reported. */
export function forecastError({ promptTokens, usage }: RequestRecord): number | undefined {
  const reported = reportedPrompt(usage);
  return reported === undefined ? undefined : (100 * Math.abs(promptTokens - reported)) / reported;
}
