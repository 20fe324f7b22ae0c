import { assertArray, assertNumber, assertObject } from "../assert.ts";
import type { MeteredPrices, TokenPrices } from "../models/model-entry.ts";

/** One call of a model: when it was made, and how large its parts were before anything was folded. */
export interface CallSize {
  /** When the request was sent, in milliseconds since the epoch. */
  readonly atMs: number;
  /** Tokens of system prompt, tools and standing context: no fold hides them. */
  readonly fixedTokens: number;
  /** Tokens that the conversation gained since the call before, the previous reply included. */
  readonly arrivedTokens: number;
  /** Tokens that a rewind removed from the end of the conversation since the call before. @default 0 */
  readonly rewoundTokens?: number;
  readonly outputTokens: number;
}

export interface CallPrices {
  readonly usdPerMillion: MeteredPrices;
  /** How long an unused prompt cache lives; 0 where there is none. */
  readonly cacheTtlMs: number;
}

/** The cost of a sequence of calls. */
export interface Bill {
  readonly usd: number;
  /** The cost of each call, including the fold before it, if there was one. */
  readonly callsUsd: readonly number[];
  /** Indexes of the calls before which the conversation was folded. */
  readonly folds: readonly number[];
  /** Calls that found no cache: the first one, and those after a longer pause than its lifetime. */
  readonly coldCalls: number;
  readonly largestPromptTokens: number;
}

export function assertCalls(calls: readonly CallSize[], prices: CallPrices): void {
  assertArray("calls", calls);
  for (const [i, call] of calls.entries()) {
    assertObject(`calls[${i}]`, call);
    assertNumber(`calls[${i}].atMs`, call.atMs);
    assertNumber(`calls[${i}].fixedTokens`, call.fixedTokens, 0);
    assertNumber(`calls[${i}].arrivedTokens`, call.arrivedTokens, 0);
    assertNumber(`calls[${i}].rewoundTokens`, call.rewoundTokens ?? 0, 0);
    assertNumber(`calls[${i}].outputTokens`, call.outputTokens, 0);
  }
  assertObject("prices", prices);
  assertNumber("prices.cacheTtlMs", prices.cacheTtlMs, 0);
  const { usdPerMillion } = prices;
  assertRates("prices.usdPerMillion", usdPerMillion);
  const { longPrompts = [] } = usdPerMillion;
  assertArray("prices.usdPerMillion.longPrompts", longPrompts);
  for (const [i, long] of longPrompts.entries()) {
    assertRates(`prices.usdPerMillion.longPrompts[${i}]`, long);
    assertNumber(`prices.usdPerMillion.longPrompts[${i}].aboveTokens`, long.aboveTokens, 0);
  }
}

function assertRates(name: string, rates: TokenPrices): void {
  assertObject(name, rates);
  const { input, output, cacheRead = 0, cacheWrite = 0 } = rates;
  for (const [field, rate] of Object.entries({ input, output, cacheRead, cacheWrite })) {
    assertNumber(`${name}.${field}`, rate, 0);
  }
}

/** For each call, whether it finds the prompt of the call before it in the cache. A clock that went backwards counts as no pause. */
export function findWarmCalls(calls: readonly CallSize[], cacheTtlMs: number): readonly boolean[] {
  return calls.map(({ atMs }, i) => {
    const previous = calls[i - 1];
    return cacheTtlMs > 0 && previous !== undefined && atMs - previous.atMs <= cacheTtlMs;
  });
}

/** The size of the conversation after the rewind before this call. */
export function afterRewind(conversationTokens: number, { rewoundTokens = 0 }: CallSize): number {
  return Math.max(0, conversationTokens - rewoundTokens);
}
