import { assertNumber, assertObject } from "../assert.ts";
import { ratesFor } from "../models/price.ts";
import { tokensLeft } from "../policy/rent.ts";
import type { CallPrices, CallSize } from "./call-size.ts";

/** One request on its way to a model that caches prompts. */
export interface BilledCall {
  readonly promptTokens: number;
  /** The first tokens of the prompt, equal to those of the request before. */
  readonly sharedTokens: number;
  readonly outputTokens: number;
  /** The cache of the request before still lives. */
  readonly isWarm: boolean;
}

/** What one request costs: the shared prefix is read from the cache, where that still lives, and the rest is written to it. */
export function callUsd({ usdPerMillion }: CallPrices, call: BilledCall): number {
  const { input, output, cacheRead = input, cacheWrite = input } = ratesFor(usdPerMillion, call.promptTokens);
  const readTokens = call.isWarm ? Math.min(call.sharedTokens, call.promptTokens) : 0;
  const writtenTokens = call.promptTokens - readTokens;
  return (cacheRead * readTokens + cacheWrite * writtenTokens + output * call.outputTokens) / 1_000_000;
}

/** What a fold costs besides the call that follows it. */
export interface FoldExtras {
  /** What the agent reads again because it was hidden: written once, and read once with the next call. */
  readonly rereadTokens: number;
  /** What a model writes in order to fold; 0 where none is asked. */
  readonly summaryTokens: number;
}

/** The prompt that is folded, and what it becomes. */
export interface FoldedPrompt {
  readonly beforeTokens: number;
  readonly afterTokens: number;
}

/** What a fold costs besides the call that follows it: what is read again, and the call of a condensing model. */
export function foldUsd({ usdPerMillion }: CallPrices, prompt: FoldedPrompt, extras: FoldExtras): number {
  const { input, cacheRead = input, cacheWrite = input } = ratesFor(usdPerMillion, prompt.afterTokens);
  const reread = (cacheWrite + cacheRead) * extras.rereadTokens;
  if (extras.summaryTokens === 0) return reread / 1_000_000;
  const before = ratesFor(usdPerMillion, prompt.beforeTokens);
  // the condensing call is taken to find the whole conversation in the cache: no bill of a summary is overstated
  const asked = (before.cacheRead ?? before.input) * prompt.beforeTokens + before.output * extras.summaryTokens;
  return (reread + asked) / 1_000_000;
}

/** What a fold leaves and costs. */
export interface FoldModel {
  /** What a fold leaves of the conversation, unless the newest arrival needs more. */
  readonly leftTokens: number;
  /** What the agent reads again after a fold. @default 0 */
  readonly rereadTokens?: number;
  /** What a condensing model writes for each fold. @default 0: no model is asked */
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

/** The conversation after a fold before this call, as the rent rule leaves it: the newest arrival is never hidden, but clipped where it does not fit. */
export function leftAfterFold(call: CallSize, { leftTokens, allowedTokens = Number.POSITIVE_INFINITY }: FoldModel) {
  const wanted = tokensLeft({ budgetTokens: leftTokens, newestTurnTokens: call.arrivedTokens });
  return Math.max(0, Math.min(wanted, allowedTokens - call.fixedTokens));
}
