import { assertNumber, assertObject } from "../assert.ts";
import { ratesFor } from "../models/price.ts";
import { tokensLeft } from "../policy/rent.ts";
import type { CallPrices, CallSize } from "./call-size.ts";

/** The sizes of one request to a model that caches prompts. */
export interface BilledCall {
  readonly promptTokens: number;
  /** The length of the prefix that it shares with the prompt of the request before. */
  readonly sharedTokens: number;
  readonly outputTokens: number;
  /** Whether the cache of the request before is still alive. */
  readonly isWarm: boolean;
}

/** The cost of one request: the shared prefix is read from the cache while that is alive, and the rest is written to it. */
export function callUsd({ usdPerMillion }: CallPrices, call: BilledCall): number {
  const { input, output, cacheRead = input, cacheWrite = input } = ratesFor(usdPerMillion, call.promptTokens);
  const readTokens = call.isWarm ? Math.min(call.sharedTokens, call.promptTokens) : 0;
  const writtenTokens = call.promptTokens - readTokens;
  return (cacheRead * readTokens + cacheWrite * writtenTokens + output * call.outputTokens) / 1_000_000;
}

/** Tokens that a fold costs besides the call that follows it. */
export interface FoldExtras {
  /** Hidden content that the agent reads again: written to the cache once, and read from it once with the next call. */
  readonly rereadTokens: number;
  /** The output of the condensing model; 0 where none is asked. */
  readonly summaryTokens: number;
}

/** The size of a prompt before and after a fold. */
export interface FoldedPrompt {
  readonly beforeTokens: number;
  readonly afterTokens: number;
}

/** The cost of a fold besides the call that follows it: content that is read again, and the call of a condensing model. */
export function foldUsd({ usdPerMillion }: CallPrices, prompt: FoldedPrompt, extras: FoldExtras): number {
  const { input, cacheRead = input, cacheWrite = input } = ratesFor(usdPerMillion, prompt.afterTokens);
  const reread = (cacheWrite + cacheRead) * extras.rereadTokens;
  if (extras.summaryTokens === 0) return reread / 1_000_000;
  const before = ratesFor(usdPerMillion, prompt.beforeTokens);
  // assumes that the condensing call finds the whole conversation in the cache, so that the cost of a summary is never overstated
  const condensing = (before.cacheRead ?? before.input) * prompt.beforeTokens + before.output * extras.summaryTokens;
  return (reread + condensing) / 1_000_000;
}

/** How much a fold leaves, and how many tokens it costs. */
export interface FoldModel {
  /** Tokens that a fold leaves of the conversation, unless the newest arrival needs more. */
  readonly leftTokens: number;
  /** Tokens that the agent reads again after a fold. @default 0 */
  readonly rereadTokens?: number;
  /** Tokens that a condensing model writes for each fold. @default 0: no model is asked */
  readonly summaryTokens?: number;
  /** The largest prompt that may be sent. @default no limit */
  readonly allowedTokens?: number;
}

export function assertFoldModel(model: FoldModel): void {
  assertObject("model", model);
  const { leftTokens, rereadTokens = 0, summaryTokens = 0, allowedTokens = 0 } = model;
  for (const [name, value] of Object.entries({ leftTokens, rereadTokens, summaryTokens, allowedTokens })) {
    assertNumber(`model.${name}`, value, 0);
  }
}

/** The tokens that a fold before this call leaves of the conversation by the rent rule: the newest arrival is never hidden, but clipped where it does not fit. */
export function leftAfterFold(call: CallSize, { leftTokens, allowedTokens = Number.POSITIVE_INFINITY }: FoldModel) {
  const wanted = tokensLeft({ budgetTokens: leftTokens, newestTurnTokens: call.arrivedTokens });
  return Math.max(0, Math.min(wanted, allowedTokens - call.fixedTokens));
}
