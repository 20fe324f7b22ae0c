import type { FoldCosts, RequestCosts } from "../api/statement-types.ts";
import { counted, usd } from "./format.ts";
import type { Series } from "./plot.ts";

export interface StatementSeries {
  readonly money: readonly Series[];
  readonly sizes: readonly Series[];
  readonly cache: readonly Series[];
  readonly forecast: readonly Series[];
}

/** The plots of a statement: one value for each request. Money adds up. */
export function statementSeries(requests: readonly RequestCosts[]): StatementSeries {
  const sumUp = (get: (request: RequestCosts) => number) => {
    let sum = 0;
    return requests.map((request) => {
      sum += get(request);
      return sum;
    });
  };
  const shareOf = (name: "expectedTokens" | "reportedTokens") =>
    requests.map(
      ({ cacheHits, promptTokens }) => cacheHits && Math.min(1, cacheHits[name] / Math.max(1, promptTokens)),
    );
  return {
    money: [
      { name: "nothing done", color: "muted", values: sumUp(({ withoutFoldsUsd }) => withoutFoldsUsd) },
      { name: "a summary at 80 %", color: "toolResults", values: sumUp((each) => each.withSummaryAt80Usd) },
      { name: "the optimum", color: "assistant", values: sumUp(({ optimumUsd }) => optimumUsd) },
      { name: "spent", color: "accent", values: sumUp(({ spentUsd }) => spentUsd) },
    ],
    sizes: [
      {
        name: "with all that is hidden",
        color: "muted",
        values: requests.map(({ promptTokens, hiddenTokens }) => promptTokens + hiddenTokens),
      },
      { name: "sent", color: "accent", values: requests.map(({ promptTokens }) => promptTokens) },
    ],
    cache: [
      { name: "could have come", color: "muted", values: shareOf("expectedTokens") },
      { name: "came from the cache", color: "user", values: shareOf("reportedTokens") },
    ],
    forecast: [
      { name: "off by", color: "accent", values: requests.map(({ forecastErrorPercent }) => forecastErrorPercent) },
    ],
  };
}

/** A fold with what is left of its earnings when it is paid. */
export interface FoldBalance extends FoldCosts {
  readonly netUsd: number;
  readonly hasPaid: boolean;
}

/** The newest first. */
export function foldBalances(folds: readonly FoldCosts[]): readonly FoldBalance[] {
  return folds
    .map((fold) => ({ ...fold, netUsd: fold.earnedUsd - fold.costUsd, hasPaid: fold.earnedUsd >= fold.costUsd }))
    .toReversed();
}

/** "6 of 8 folds have paid for themselves; together they earned $0.94 more than they cost." */
export function balanceText(folds: readonly FoldBalance[]): string {
  const paid = folds.filter(({ hasPaid }) => hasPaid).length;
  const netUsd = folds.reduce((sum, fold) => sum + fold.netUsd, 0);
  const compared = (subject: string) =>
    netUsd < 0
      ? `${subject} cost ${usd(-netUsd)} more than ${subject === "it" ? "it" : "they"} earned`
      : `${subject} earned ${usd(netUsd)} more than ${subject === "it" ? "it" : "they"} cost`;
  if (folds.length === 1) return `The one fold has ${paid === 1 ? "" : "not yet "}paid for itself: ${compared("it")}.`;
  return `${paid} of ${counted(folds.length, "fold")} have paid for themselves; ${compared("together they")}.`;
}
