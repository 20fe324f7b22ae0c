import type { HistoryEntry } from "./history.ts";

/** Sums over all that happened, also over what the history let go. */
export interface Metrics {
  /** Those that succeeded. */
  readonly condensations: number;
  readonly failures: number;
  readonly fallbacks: number;
  /** How often a user's code was passed over. */
  readonly faults: number;
  readonly tokensSaved: number;
  /** The cost includes failed attempts. */
  readonly costUsd: number;
  /** How much smaller a condensation makes the prompt. 0 while there is none. */
  readonly averageReductionPercent: number;
  /** The mean over those that succeeded; 0 while there is none. */
  readonly averageDurationMs: number;
  /** In milliseconds since the epoch; undefined while there is none. */
  readonly lastCondensationAt: number | undefined;
}

export const NO_METRICS: Metrics = Object.freeze({
  condensations: 0,
  failures: 0,
  fallbacks: 0,
  faults: 0,
  tokensSaved: 0,
  costUsd: 0,
  averageReductionPercent: 0,
  averageDurationMs: 0,
  lastCondensationAt: undefined,
});

/** The metrics with one more entry in them. */
export function addToMetrics(metrics: Metrics, entry: HistoryEntry): Metrics {
  switch (entry.type) {
    case "success":
      return addSuccess(metrics, entry);
    case "failure":
      return { ...metrics, failures: metrics.failures + 1, costUsd: metrics.costUsd + amount(entry.costUsd) };
    case "fallback":
      return { ...metrics, fallbacks: metrics.fallbacks + 1 };
    case "fault":
      return { ...metrics, faults: metrics.faults + 1 };
  }
}

function addSuccess(metrics: Metrics, entry: HistoryEntry & { readonly type: "success" }): Metrics {
  const condensations = metrics.condensations + 1;
  const savedTokens = amount(entry.prevContextTokens - entry.newContextTokens);
  const withNext = (average: number, next: number) => average + (amount(next) - average) / condensations;
  return {
    ...metrics,
    condensations,
    tokensSaved: metrics.tokensSaved + savedTokens,
    costUsd: metrics.costUsd + amount(entry.costUsd),
    averageReductionPercent: withNext(metrics.averageReductionPercent, (100 * savedTokens) / entry.prevContextTokens),
    averageDurationMs: withNext(metrics.averageDurationMs, entry.durationMs),
    lastCondensationAt: entry.at,
  };
}

/** Costs and counts may come from a user's condenser: one that is no number must not spoil the sum for good. */
function amount(value: number): number {
  return Number.isFinite(value) ? value : 0;
}
