import type { CacheMissTotals } from "./cache-diagnosis.ts";
import type { CriticalFactCount, FoldCause } from "./request-record.ts";

/**
 * What requests cost, and what the same ones would have cost otherwise. Every figure is net of the provider's cache, as it was really used.
 * Money is in USD.
 */
export interface Statement {
  readonly sessions: number;
  readonly requests: number;
  /** Requests whose cost is not known: no usage was reported, or the model's prices are not known. They are in no figure of money. */
  readonly unpriced: number;
  /** By the reported usage, and what condensing cost. */
  readonly spentUsd: number;
  /** What of it condensing cost. */
  readonly condensingUsd: number;
  /** As reported. */
  readonly usage: UsageTotals;
  /** What the same requests would have cost with the whole conversation in each of them, however large. */
  readonly withoutFoldsUsd: number;
  /** What they would have cost where a model summarises at 80 % of the window. */
  readonly withSummaryAt80Usd: number;
  /** The least that they could have cost with folds that leave as much as ours did on average, had all of it been known before. */
  readonly optimumUsd: number;
  /** What was spent, as a multiple of the optimum; absent where that is 0. */
  readonly ratioToOptimum?: number;
  /** What was not spent; negative where folding cost more than it saved. */
  readonly savedUsd: { readonly againstNothing: number; readonly againstSummaryAt80: number };
  /** By why they were made, the dearest cause last. */
  readonly folds: readonly FoldTotals[];
  /** Requests after a pause in which the provider forgot the prompt. */
  readonly coldCalls: number;
  /** Tokens that should have come from the provider's cache, and those that it says did. */
  readonly cacheHits: { readonly expectedTokens: number; readonly reportedTokens: number };
  /** Why the provider's cache missed, by reason; absent where nobody asked for that, or it never did. */
  readonly cacheMisses?: readonly CacheMissTotals[];
  /** Requests in which an agent read again what a fold hid, and how much that was. */
  readonly rereads: { readonly requests: number; readonly tokens: number };
  /** What folds hid that later work will probably need, and how much of it was still in view after each; absent where nothing was folded. */
  readonly criticalFacts?: CriticalFactCount;
  /** How far the foretold prompts were off; absent where no usage was reported. */
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

/** Folds that were made for the same reason; `hand` by a person or an agent who asked for it. */
export interface FoldTotals {
  readonly cause: FoldCause | "hand";
  /** Requests that were folded for it. */
  readonly requests: number;
  readonly hiddenTokens: number;
  /** Condensing, and writing to the cache again what the folds left. */
  readonly costUsd: number;
  /** What the hidden tokens would have cost since. */
  readonly earnedUsd: number;
}

/** The requests and folds of one session, one by one: what a statement sums up. */
export interface StatementHistory {
  /** In the order in which they were sent. */
  readonly requests: readonly RequestCosts[];
  /** In the order in which they were first shown. */
  readonly folds: readonly FoldCosts[];
}

/** One request: what it cost, and what it would have cost otherwise. Money is in USD, and 0 where the cost is not known. */
export interface RequestCosts {
  readonly at: number;
  /** As it was foretold, and what of the log it did not show. */
  readonly promptTokens: number;
  readonly hiddenTokens: number;
  /** With what condensing for it cost. */
  readonly spentUsd: number;
  readonly withoutFoldsUsd: number;
  readonly withSummaryAt80Usd: number;
  readonly optimumUsd: number;
  /** What should have come from the provider's cache, and what did; absent where no usage was reported. */
  readonly cacheHits?: { readonly expectedTokens: number; readonly reportedTokens: number };
  /** How far the foretold prompt was off; absent where no usage was reported. */
  readonly forecastErrorPercent?: number;
}

/** What was folded before one request, or brought back: what that cost, and what it has earned since. */
export interface FoldCosts {
  /** The first request that showed it, counted from 0. */
  readonly request: number;
  readonly at: number;
  readonly cause: FoldTotals["cause"];
  /** Hidden by it; 0 where something was brought back. */
  readonly hiddenTokens: number;
  /** Condensing, and writing to the cache again what it left. */
  readonly costUsd: number;
  /** What the hidden tokens would have cost since. */
  readonly earnedUsd: number;
}
