import type { MeteredPrices, TokenPrices } from "../models/model-entry.ts";
import { runSteps, type Steps } from "../steps.ts";
import { billWithFolds } from "./bill.ts";
import { assertFoldModel, callUsd, type FoldModel, foldUsd, leftAfterFold } from "./call-cost.ts";
import { afterRewind, assertCalls, type Bill, type CallPrices, type CallSize, findWarmCalls } from "./call-size.ts";

/**
 * The cheapest schedule of folds for calls whose sizes and times are all known: the least that any policy could have paid with folds
 * that leave and cost as much. The cost after a fold does not depend on earlier folds, so dynamic programming from one fold to the next
 * finds the schedule, in O(n²) steps at most; a run of calls without a fold ends where the prompt would exceed `allowedTokens`.
 * @example
 * ```ts
 * import { offlineOptimum } from "palimpsest/core";
 * const prices = { usdPerMillion: { type: "metered", input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 }, cacheTtlMs: 300_000 } as const;
 * const calls = [30_000, 500, 500, 500].map((arrivedTokens, i) => ({ atMs: i * 600_000, fixedTokens: 5_000, arrivedTokens, outputTokens: 100 }));
 * const bill = offlineOptimum(calls, prices, { leftTokens: 8_000, rereadTokens: 1_000, allowedTokens: 180_000 });
 * console.log(bill.folds, bill.coldCalls); // [ 1 ] 4
 * ```
 */
export function offlineOptimum(calls: readonly CallSize[], prices: CallPrices, model: FoldModel): Bill {
  return runSteps(optimumSteps(calls, prices, model));
}

/** {@link offlineOptimum} in steps, one for each possible fold: many calls take a while. */
export function* optimumSteps(calls: readonly CallSize[], prices: CallPrices, model: FoldModel): Steps<Bill> {
  assertCalls(calls, prices);
  assertFoldModel(model);
  const folds = yield* cheapestFolds(calls, prices, model);
  return billWithFolds(calls, prices, { ...model, folds });
}

/** The cheapest schedule that folds before a certain call, up to and including that fold. */
interface FoldNode {
  readonly usd: number;
  readonly previousFold: number | undefined;
}

function* cheapestFolds(calls: readonly CallSize[], prices: CallPrices, model: FoldModel): Steps<readonly number[]> {
  const warm = findWarmCalls(calls, prices.cacheTtlMs);
  const canPrune = isShorterCheaper(prices.usdPerMillion);
  const nodes: (FoldNode | undefined)[] = [];
  let best: FoldNode = { usd: Number.POSITIVE_INFINITY, previousFold: undefined };
  walkFrom(undefined, 0);
  for (let i = 0; i < calls.length; i++) {
    const node = nodes[i];
    if (node === undefined) continue;
    walkFrom(i, node.usd);
    yield;
  }
  return foldsUpTo(best.previousFold, nodes);

  // Walks the calls from a fold (or from the start) on, and tries each later call as the place of the next fold.
  function walkFrom(fold: number | undefined, startUsd: number): void {
    let usd = startUsd;
    let conversationTokens = 0;
    for (let i = fold ?? 0; i < calls.length; i++) {
      const call = calls[i];
      if (call === undefined) return;
      const isFolded = i === fold;
      const keptTokens = afterRewind(conversationTokens, call);
      const grownTokens = keptTokens + call.arrivedTokens;
      if (!isFolded) tryFold(fold, { index: i, usd, grownTokens });
      const nowTokens = isFolded ? leftAfterFold(call, model) : grownTokens;
      if (!isFolded && isTooLong(call, grownTokens)) return;
      usd += usdOf(call, i, { nowTokens, sharedTokens: isFolded ? 0 : keptTokens });
      conversationTokens = nowTokens;
      if (!isFolded && isDominated({ index: i, usd, nowTokens })) return;
    }
    if (usd < best.usd) best = { usd, previousFold: fold };
  }

  function usdOf(call: CallSize, index: number, sizes: { nowTokens: number; sharedTokens: number }): number {
    return callUsd(prices, {
      promptTokens: call.fixedTokens + sizes.nowTokens,
      sharedTokens: Math.min(call.fixedTokens, calls[index - 1]?.fixedTokens ?? 0) + sizes.sharedTokens,
      outputTokens: call.outputTokens,
      isWarm: warm[index] === true,
    });
  }

  // Whether folding before this call costs no more and leaves no larger prompt: then it stays cheaper, whatever follows.
  function isDominated(at: { index: number; usd: number; nowTokens: number }): boolean {
    const [call, node] = [calls[at.index], nodes[at.index]];
    if (!canPrune || call === undefined || node === undefined) return false;
    const nowTokens = leftAfterFold(call, model);
    return nowTokens <= at.nowTokens && node.usd + usdOf(call, at.index, { nowTokens, sharedTokens: 0 }) <= at.usd;
  }

  function tryFold(previousFold: number | undefined, at: { index: number; usd: number; grownTokens: number }): void {
    const call = calls[at.index];
    if (call === undefined) return;
    const leftTokens = leftAfterFold(call, model);
    if (leftTokens >= at.grownTokens) return;
    const { fixedTokens } = call;
    const prompt = { beforeTokens: fixedTokens + at.grownTokens, afterTokens: fixedTokens + leftTokens };
    const { rereadTokens = 0, summaryTokens = 0 } = model;
    const usd = at.usd + foldUsd(prices, prompt, { rereadTokens, summaryTokens });
    if (usd < (nodes[at.index]?.usd ?? Number.POSITIVE_INFINITY)) nodes[at.index] = { usd, previousFold };
  }

  // Where system prompt and tools alone are too long, no fold helps, and the prompt counts as acceptable.
  function isTooLong(call: CallSize, conversationTokens: number): boolean {
    const { allowedTokens = Number.POSITIVE_INFINITY } = model;
    return conversationTokens > leftAfterFold(call, model) && call.fixedTokens + conversationTokens > allowedTokens;
  }
}

function foldsUpTo(last: number | undefined, nodes: readonly (FoldNode | undefined)[]): readonly number[] {
  const folds: number[] = [];
  for (let fold = last; fold !== undefined; fold = nodes[fold]?.previousFold) folds.push(fold);
  return folds.toReversed();
}

/** Whether a shorter prompt never costs more than a longer one, and reading from the cache no more than writing to it. */
function isShorterCheaper(prices: MeteredPrices): boolean {
  const tiers = [{ ...prices, aboveTokens: 0 }, ...(prices.longPrompts ?? [])];
  return tiers.every((tier, i) => {
    const [now, before] = [ratesOf(tier), ratesOf(tiers[i - 1] ?? tier)];
    const isAbove = tier.aboveTokens >= (tiers[i - 1]?.aboveTokens ?? 0);
    const isDearer = now.read >= before.read && now.write >= before.write && now.output >= before.output;
    return isAbove && isDearer && now.read <= now.write;
  });
}

function ratesOf({ input, output, cacheRead: read = input, cacheWrite: write = input }: TokenPrices) {
  return { read, write, output };
}
