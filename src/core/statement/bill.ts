import { assertArray, assertNumber, assertObject } from "../assert.ts";
import { assertFoldModel, callUsd, type FoldModel, foldUsd, leftAfterFold } from "./call-cost.ts";
import { afterRewind, assertCalls, type Bill, type CallPrices, type CallSize, findWarmCalls } from "./call-size.ts";

export interface FoldSchedule extends FoldModel {
  /** Indexes of the calls before which the conversation is folded. */
  readonly folds: readonly number[];
}

export interface SummaryPolicy {
  /** The conversation is summarized before a call whose prompt would exceed this share of the window. */
  readonly share: number;
  readonly contextWindow: number;
  /** @default 2_000 */
  readonly summaryTokens?: number;
  /** For how many of the newest calls the arrived messages stay as they are. @default 2: about the last three messages */
  readonly keptArrivals?: number;
  /** @default 0 */
  readonly rereadTokens?: number;
}

/**
 * The cost of the calls if nothing is ever folded, however large the prompt becomes.
 * @example
 * ```ts
 * import { billWithoutFolds } from "palimpsest/core";
 * const prices = { usdPerMillion: { type: "metered", input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 }, cacheTtlMs: 300_000 } as const;
 * const call = { fixedTokens: 5_000, arrivedTokens: 1_000, outputTokens: 0 };
 * console.log(billWithoutFolds([{ ...call, atMs: 0 }, { ...call, atMs: 60_000 }], prices).callsUsd); // [ 0.0075, 0.00185 ]
 * ```
 */
export function billWithoutFolds(calls: readonly CallSize[], prices: CallPrices): Bill {
  assertCalls(calls, prices);
  return billCalls(calls, prices, () => undefined);
}

/**
 * The cost of the calls with a fold before each call whose index is in `folds`; a fold that would hide nothing is left out.
 * @example
 * ```ts
 * import { billWithFolds } from "palimpsest/core";
 * const prices = { usdPerMillion: { type: "metered", input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 }, cacheTtlMs: 300_000 } as const;
 * const calls = [30_000, 500, 500, 500].map((arrivedTokens, i) => ({ atMs: i * 600_000, fixedTokens: 5_000, arrivedTokens, outputTokens: 100 }));
 * const bill = billWithFolds(calls, prices, { folds: [1, 2], leftTokens: 8_000 });
 * console.log(bill.folds, bill.largestPromptTokens); // [ 1, 2 ] 35000
 * ```
 */
export function billWithFolds(calls: readonly CallSize[], prices: CallPrices, schedule: FoldSchedule): Bill {
  assertCalls(calls, prices);
  assertObject("model", schedule);
  const { folds, ...model } = schedule;
  assertFoldModel(model);
  assertArray("folds", folds);
  const scheduled = new Set(folds);
  const { rereadTokens = 0, summaryTokens = 0 } = model;
  return billCalls(calls, prices, ({ index, call, conversationTokens }) => {
    const leftTokens = leftAfterFold(call, model);
    const isFolded = scheduled.has(index) && leftTokens < conversationTokens;
    return isFolded ? { leftTokens, rereadTokens, summaryTokens } : undefined;
  });
}

/**
 * The cost of the calls if a model summarizes the conversation whenever the prompt would exceed a share of the window.
 * @example
 * ```ts
 * import { billWithSummaryAt } from "palimpsest/core";
 * const prices = { usdPerMillion: { type: "metered", input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 }, cacheTtlMs: 300_000 } as const;
 * const calls = [30_000, 500, 500, 500].map((arrivedTokens, i) => ({ atMs: i * 600_000, fixedTokens: 5_000, arrivedTokens, outputTokens: 100 }));
 * console.log(billWithSummaryAt(calls, prices, { share: 0.8, contextWindow: 44_000 }).folds); // [ 2 ]
 * ```
 */
export function billWithSummaryAt(calls: readonly CallSize[], prices: CallPrices, policy: SummaryPolicy): Bill {
  assertCalls(calls, prices);
  assertObject("policy", policy);
  const { share, contextWindow, summaryTokens = 2_000, keptArrivals = 2, rereadTokens = 0 } = policy;
  for (const [name, value] of Object.entries({ share, contextWindow, summaryTokens, keptArrivals, rereadTokens })) {
    assertNumber(`policy.${name}`, value, 0);
  }
  return billCalls(calls, prices, ({ index, call, conversationTokens }) => {
    if (call.fixedTokens + conversationTokens <= share * contextWindow) return undefined;
    const kept = calls.slice(Math.max(0, index + 1 - keptArrivals), index + 1);
    const keptTokens = kept.reduce((sum, { arrivedTokens }) => sum + arrivedTokens, 0);
    const leftTokens = Math.min(summaryTokens + keptTokens, Math.max(0, contextWindow - call.fixedTokens));
    // a summary that would not shrink the conversation is not made
    return leftTokens < conversationTokens ? { leftTokens, rereadTokens, summaryTokens } : undefined;
  });
}

interface CallState {
  readonly index: number;
  readonly call: CallSize;
  /** The conversation as it would be sent, without the fixed tokens. */
  readonly conversationTokens: number;
}

interface PlannedFold {
  readonly leftTokens: number;
  readonly rereadTokens: number;
  readonly summaryTokens: number;
}

function billCalls(
  calls: readonly CallSize[],
  prices: CallPrices,
  planFold: (state: CallState) => PlannedFold | undefined,
): Bill {
  const warm = findWarmCalls(calls, prices.cacheTtlMs);
  const callsUsd: number[] = [];
  const folds: number[] = [];
  let previous = { fixedTokens: 0, conversationTokens: 0 };
  let largestPromptTokens = 0;
  for (const [index, call] of calls.entries()) {
    const { fixedTokens, outputTokens } = call;
    const keptTokens = afterRewind(previous.conversationTokens, call);
    const grownTokens = keptTokens + call.arrivedTokens;
    const fold = planFold({ index, call, conversationTokens: grownTokens });
    const conversationTokens = fold?.leftTokens ?? grownTokens;
    const promptTokens = fixedTokens + conversationTokens;
    const sharedFixed = Math.min(fixedTokens, previous.fixedTokens);
    const sharedTokens = fold === undefined ? sharedFixed + keptTokens : sharedFixed;
    const billed = { promptTokens, sharedTokens, outputTokens, isWarm: warm[index] === true };
    let usd = callUsd(prices, billed);
    if (fold !== undefined) {
      usd += foldUsd(prices, { beforeTokens: fixedTokens + grownTokens, afterTokens: promptTokens }, fold);
      folds.push(index);
    }
    callsUsd.push(usd);
    largestPromptTokens = Math.max(largestPromptTokens, promptTokens);
    previous = { fixedTokens, conversationTokens };
  }
  const coldCalls = warm.filter((isWarm) => !isWarm).length;
  return { usd: callsUsd.reduce((sum, usd) => sum + usd, 0), callsUsd, folds, coldCalls, largestPromptTokens };
}
