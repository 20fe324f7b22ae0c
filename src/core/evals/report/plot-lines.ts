import { EVERYTHING } from "../contestants.ts";
import type { EvalResult } from "../eval-types.ts";

/** One strategy over all budgets. */
export interface PlotLine {
  readonly name: string;
  readonly points: readonly PlotPoint[];
}

export interface PlotPoint {
  readonly budgetTokens: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The lines of a plot, by strategy. Budgets at which nothing was measured have no point, strategies without points no line, nor
 * has the whole log, which is no strategy.
 */
export function plotLines(
  { rows }: EvalResult,
  measure: "cfrr" | "frr" | "ear" | "cfrrWithRecall",
): readonly PlotLine[] {
  const names = new Set(rows.map(({ strategy }) => strategy));
  names.delete(EVERYTHING.name);
  return [...names]
    .map((name) => ({
      name,
      points: rows
        .filter(({ strategy }) => strategy === name)
        .flatMap((row) => {
          const estimate = row[measure];
          if (estimate === undefined) return [];
          const { mean, low, high } = estimate;
          return [{ budgetTokens: row.budgetTokens, mean, low, high }];
        }),
    }))
    .filter(({ points }) => points.length > 0);
}
