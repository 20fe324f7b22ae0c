import type { RequestRecord } from "./request-record.ts";

/** Running totals of a session's requests, from which the next ones are estimated. Sizes are in the model's tokens. */
export interface RequestTotals {
  readonly requests: number;
  /** The sum of what the requests after the first added to the conversation, each capped at 8,000 tokens. */
  readonly growthTokens: number;
  /** When the newest request was sent; undefined before the first one. */
  readonly lastAt: number | undefined;
  /** Tokens that are read again after a fold: a moving average over the folds so far. */
  readonly rereadTokens: number;
  /** Tokens that were read again since the last fold; undefined before the first one. */
  readonly rereadSinceFold: number | undefined;
}

/** The first value of the moving average of `rereadTokens`. */
const USUAL_REREAD_TOKENS = 1_000;
const NEWEST_FOLD_SHARE = 0.25;
/** A larger arrival is an exception: one pasted file says nothing about the next calls. */
const MOST_GROWTH_TOKENS = 8_000;
/** The prior of the mean growth, and how many calls it weighs. */
const USUAL_GROWTH_TOKENS = 1_500;
const USUAL_GROWTH_CALLS = 5;

export const NO_REQUESTS: RequestTotals = {
  requests: 0,
  growthTokens: 0,
  lastAt: undefined,
  rereadTokens: USUAL_REREAD_TOKENS,
  rereadSinceFold: undefined,
};

/** The totals with one more request. */
export function addRequest(totals: RequestTotals, request: RequestRecord): RequestTotals {
  const { requests, growthTokens, lastAt, rereadTokens, rereadSinceFold } = totals;
  const { arrivedTokens, foldIds, at, rereadTokens: rereadNow = 0 } = request;
  const isFolded = foldIds.length > 0;
  const observed = rereadSinceFold === undefined ? undefined : rereadSinceFold + rereadNow;
  return {
    requests: requests + 1,
    growthTokens: growthTokens + (requests === 0 ? 0 : Math.min(arrivedTokens, MOST_GROWTH_TOKENS)),
    lastAt: Math.max(at, lastAt ?? at),
    rereadTokens:
      isFolded && observed !== undefined ? rereadTokens + NEWEST_FOLD_SHARE * (observed - rereadTokens) : rereadTokens,
    rereadSinceFold: isFolded ? 0 : observed,
  };
}

/** The tokens that a call adds to the conversation, on average. */
export function meanGrowth({ requests, growthTokens }: RequestTotals): number {
  const calls = Math.max(0, requests - 1);
  return (growthTokens + USUAL_GROWTH_TOKENS * USUAL_GROWTH_CALLS) / (calls + USUAL_GROWTH_CALLS);
}
