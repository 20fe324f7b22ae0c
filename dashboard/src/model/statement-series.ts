import type { RequestEntry } from "../api/types.ts";
import type { Series } from "./plot.ts";

export interface StatementSeries {
  readonly money: readonly Series[];
  readonly sizes: readonly Series[];
  readonly cache: readonly Series[];
}

/** The plots of a statement: one value for each request. */
export function statementSeries(requests: readonly RequestEntry[]): StatementSeries {
  let spent = 0;
  const money = requests.map(({ costUsd = 0, condenseUsd }) => {
    spent += costUsd + condenseUsd;
    return spent;
  });
  return {
    money: [{ name: "spent", color: "accent", values: money }],
    sizes: [
      { name: "sent", color: "accent", values: requests.map(({ promptTokens }) => promptTokens) },
      {
        name: "with everything that is hidden",
        color: "muted",
        values: requests.map(({ promptTokens, hiddenTokens }) => promptTokens + hiddenTokens),
      },
    ],
    cache: [{ name: "from the cache", color: "user", values: requests.map(({ cachedShare }) => cachedShare) }],
  };
}
