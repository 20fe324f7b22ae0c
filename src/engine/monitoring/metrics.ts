import type { HistoryEntry } from "./history.ts";

/** Totals over all events of an engine, including those that the history no longer keeps. */
export interface Metrics {
  /** The number of condensations that succeeded. */
  readonly condensations: number;
  readonly failures: number;
  readonly fallbacks: number;
  /** The number of errors of extensions. */
  readonly faults: number;
  readonly tokensSaved: number;
  /** The cost of all condensations, including failed ones. */
  readonly costUsd: number;
  /** The mean saving of successful condensations, in percent of the prompt; 0 while there is none. */
  readonly averageReductionPercent: number;
  /** The mean duration of successful condensations; 0 while there is none. */
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

/** Adds an entry to the metrics. */
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

/** The value, or 0 where it is no finite number: one wrong number from a user's condenser must not spoil the totals. */
function amount(value: number): number {
  return Number.isFinite(value) ? value : 0;
}
