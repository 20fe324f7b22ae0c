export interface Statement {
  readonly requests: number;
  readonly unpriced: number;
  readonly spentUsd: number;
  readonly condensingUsd: number;
  readonly withoutFoldsUsd: number;
  readonly withSummaryAt80Usd: number;
  readonly optimumUsd: number;
  readonly ratioToOptimum?: number;
  readonly savedUsd: { readonly againstNothing: number; readonly againstSummaryAt80: number };
  readonly folds: readonly {
    readonly cause: string;
    readonly requests: number;
    readonly hiddenTokens: number;
    readonly costUsd: number;
    readonly earnedUsd: number;
  }[];
  readonly coldCalls: number;
  readonly cacheHits: { readonly expectedTokens: number; readonly reportedTokens: number };
  readonly rereads: { readonly requests: number; readonly tokens: number };
  readonly criticalFacts?: { readonly facts: number; readonly visible: number };
  readonly forecastErrorPercent?: { readonly p50: number; readonly p99: number };
}

/** The requests and folds that a statement sums up, one by one. */
export interface StatementHistory {
  readonly requests: readonly RequestCosts[];
  readonly folds: readonly FoldCosts[];
}

export interface RequestCosts {
  readonly at: number;
  readonly promptTokens: number;
  readonly hiddenTokens: number;
  readonly spentUsd: number;
  readonly withoutFoldsUsd: number;
  readonly withSummaryAt80Usd: number;
  readonly optimumUsd: number;
  readonly cacheHits?: { readonly expectedTokens: number; readonly reportedTokens: number };
  readonly forecastErrorPercent?: number;
}

export interface FoldCosts {
  readonly request: number;
  readonly at: number;
  readonly cause: string;
  readonly hiddenTokens: number;
  readonly costUsd: number;
  readonly earnedUsd: number;
}
