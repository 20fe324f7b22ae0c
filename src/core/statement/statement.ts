import type { CacheMissTotals } from "./cache-diagnosis.ts";
import type { CriticalFactCount, FoldCause } from "./request-record.ts";

/**
 * What requests cost, and what the same requests would have cost with other policies. All costs count the provider's cache as it was really
 * used. Money is in USD.
 */
export interface Statement {
  readonly sessions: number;
  readonly requests: number;
  /** Requests without a known cost: no usage was reported, or the model's prices are unknown. They are in no sum of money. */
  readonly unpriced: number;
  /** The cost by the reported usage, and that of condensing. */
  readonly spentUsd: number;
  /** The part of `spentUsd` that condensing cost. */
  readonly condensingUsd: number;
  /** The sum of the reported usage. */
  readonly usage: UsageTotals;
  /** The cost of the same requests with the whole conversation in each of them, however large. */
  readonly withoutFoldsUsd: number;
  /** Their cost if a model summarizes at 80 % of the window. */
  readonly withSummaryAt80Usd: number;
  /** Their least possible cost, in hindsight, with folds that leave as much as ours did on average. */
  readonly optimumUsd: number;
  /** `spentUsd` as a multiple of `optimumUsd`; absent where that is 0. */
  readonly ratioToOptimum?: number;
  /** The differences to `spentUsd`; negative where folding cost more than it saved. */
  readonly savedUsd: { readonly againstNothing: number; readonly againstSummaryAt80: number };
  /** The folds by cause, the most expensive cause last. */
  readonly folds: readonly FoldTotals[];
  /** Requests after a pause in which the provider's cache expired. */
  readonly coldCalls: number;
  /** Tokens that should have come from the provider's cache, and those that it reported. */
  readonly cacheHits: { readonly expectedTokens: number; readonly reportedTokens: number };
  /** The misses of the provider's cache by reason; absent where there was none, or no diagnosis was asked for. */
  readonly cacheMisses?: readonly CacheMissTotals[];
  /** Requests in which the agent read hidden content again, and its tokens. */
  readonly rereads: { readonly requests: number; readonly tokens: number };
  /** The facts in folds that later work will probably need, and how many of them were still in view; absent where nothing was folded. */
  readonly criticalFacts?: CriticalFactCount;
  /** The errors of the forecasts; absent where no usage was reported. */
  readonly forecastErrorPercent?: { readonly p50: number; readonly p99: number };
}

export interface UsageTotals {
  /** Neither read from a cache nor written to one. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** With reasoning. */
  readonly outputTokens: number;
}

/** The folds of one cause; `hand` stands for folds that a person or an agent asked for. */
export interface FoldTotals {
  readonly cause: FoldCause | "hand";
  /** The number of requests before which such folds were made. */
  readonly requests: number;
  readonly hiddenTokens: number;
  /** The cost of condensing, and of writing the rest of the conversation to the cache again. */
  readonly costUsd: number;
  /** What the hidden tokens would have cost since. */
  readonly earnedUsd: number;
}

/** The requests and folds of one session, one by one. A statement is their sum. */
export interface StatementHistory {
  /** In the order in which they were sent. */
  readonly requests: readonly RequestCosts[];
  /** In the order in which they were first shown. */
  readonly folds: readonly FoldCosts[];
}

/** One request: its cost, and its cost with other policies. Money is in USD, and 0 where the cost is unknown. */
export interface RequestCosts {
  readonly at: number;
  /** The forecast size of its prompt. */
  readonly promptTokens: number;
  /** Tokens of the log that it did not show. */
  readonly hiddenTokens: number;
  /** Its cost, including that of condensing for it. */
  readonly spentUsd: number;
  readonly withoutFoldsUsd: number;
  readonly withSummaryAt80Usd: number;
  readonly optimumUsd: number;
  /** Tokens that should have come from the provider's cache, and those that did; absent where no usage was reported. */
  readonly cacheHits?: { readonly expectedTokens: number; readonly reportedTokens: number };
  /** The error of its forecast; absent where no usage was reported. */
  readonly forecastErrorPercent?: number;
}

/** A fold, or a restore, before one request: its cost, and its earnings since. */
export interface FoldCosts {
  /** The index of the first request that showed it. */
  readonly request: number;
  readonly at: number;
  readonly cause: FoldTotals["cause"];
  /** Tokens that it hid; 0 for a restore. */
  readonly hiddenTokens: number;
  /** The cost of condensing, and of writing the rest of the conversation to the cache again. */
  readonly costUsd: number;
  /** What the hidden tokens would have cost since. */
  readonly earnedUsd: number;
}
