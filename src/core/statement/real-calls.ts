import type { MeteredPrices, TokenPrices } from "../models/model-entry.ts";
import type { CallSize } from "./call-size.ts";
import { type RequestRecord, reportedPrompt } from "./request-record.ts";

/** One request of a session with its sizes: the reported prompt size where there is one, else the forecast. */
export interface RealCall {
  readonly record: RequestRecord;
  readonly promptTokens: number;
  readonly fixedTokens: number;
  /** The conversation as it was sent. */
  readonly shownTokens: number;
  /** The conversation as it would have been sent without any fold. */
  readonly saidTokens: number;
  readonly arrivedTokens: number;
  readonly rewoundTokens: number;
  /** Whether its view shows other folds than that of the call before. */
  readonly isRewritten: boolean;
  /** The length of the prefix that it shares with the call before. */
  readonly sharedTokens: number;
  /** Whether the provider still had the call before in its cache. */
  readonly isWarm: boolean;
}

/** A smaller difference may be an error of our counts. */
const NOISE_SHARE = 0.05;
const NOISE_TOKENS = 200;
/** A call that read this share of the expected tokens from the cache found it alive, however long the pause was. */
const FOUND_SHARE = 0.5;

/** Derives the sizes of successive requests of one model from their records. */
export function realCalls(records: readonly RequestRecord[], cacheTtlMs: number): readonly RealCall[] {
  const calls: RealCall[] = [];
  for (const record of records) calls.push(realCall(record, calls.at(-1), cacheTtlMs));
  return calls;
}

function realCall(record: RequestRecord, previous: RealCall | undefined, cacheTtlMs: number): RealCall {
  const promptTokens = reportedPrompt(record.usage) ?? record.promptTokens;
  const fixedTokens = Math.min(record.overheadTokens, promptTokens);
  const shownTokens = promptTokens - fixedTokens;
  const saidTokens = shownTokens + record.hiddenTokens;
  const sizes = { record, promptTokens, fixedTokens, shownTokens, saidTokens };
  if (previous === undefined) {
    const first = { arrivedTokens: saidTokens, rewoundTokens: 0, isRewritten: record.hiddenTokens > 0 };
    return { ...sizes, ...first, sharedTokens: 0, isWarm: false };
  }
  const grownTokens = saidTokens - previous.saidTokens;
  const isRewound = grownTokens < 0;
  const arrivedTokens = isRewound ? Math.min(record.arrivedTokens, saidTokens) : grownTokens;
  const rewoundTokens = isRewound ? arrivedTokens - grownTokens : 0;
  const changedTokens = Math.abs(record.hiddenTokens - previous.record.hiddenTokens);
  const isChanged = !isRewound && changedTokens > NOISE_SHARE * saidTokens + NOISE_TOKENS;
  const isRewritten = record.foldIds.length > 0 || isChanged;
  const sharedFixed = Math.min(fixedTokens, previous.fixedTokens);
  const keptTokens = isRewritten ? 0 : Math.max(0, previous.shownTokens - rewoundTokens);
  const sharedTokens = Math.min(promptTokens, sharedFixed + keptTokens);
  const isSoon = cacheTtlMs > 0 && record.at - previous.record.at <= cacheTtlMs;
  const { cacheReadTokens = 0 } = record.usage ?? {};
  const isWarm = isSoon || (sharedTokens > 0 && cacheReadTokens >= FOUND_SHARE * sharedTokens);
  return { ...sizes, arrivedTokens, rewoundTokens, isRewritten, sharedTokens, isWarm };
}

/** The calls as they would have been without any fold. Their times are artificial: a cold call comes later than {@link CACHE_LIFETIME_MS} after the one before it. */
export function unfoldedCalls(calls: readonly RealCall[]): readonly CallSize[] {
  let atMs = 0;
  return calls.map(({ record, fixedTokens, arrivedTokens, rewoundTokens, isWarm }) => {
    if (!isWarm) atMs += 2 * CACHE_LIFETIME_MS;
    const { outputTokens = 0, reasoningTokens = 0 } = record.usage ?? {};
    return { atMs, fixedTokens, arrivedTokens, rewoundTokens, outputTokens: outputTokens + reasoningTokens };
  });
}

export const CACHE_LIFETIME_MS = 1;

/**
 * The model's prices for the cache as it was really used: some of the expected tokens were not read from it, and some of the others were not
 * written to it. At these prices, the bill of calls without folds is what was paid.
 */
export function effectivePrices(prices: MeteredPrices, calls: readonly RealCall[]): MeteredPrices {
  const reported = calls.filter(({ record }) => record.usage !== undefined);
  const sum = (get: (call: RealCall) => number) => reported.reduce((total, call) => total + get(call), 0);
  const expected = sum(({ isWarm, sharedTokens }) => (isWarm ? sharedTokens : 0));
  const read = sum(({ record }) => record.usage?.cacheReadTokens ?? 0);
  const written = sum(({ record }) => record.usage?.cacheWriteTokens ?? 0);
  const plain = sum(({ record }) => record.usage?.inputTokens ?? 0);
  const hitShare = expected === 0 ? 1 : Math.min(1, read / expected);
  const writtenShare = written + plain === 0 ? 1 : written / (written + plain);
  const mix = <Rates extends TokenPrices>(rates: Rates): Rates => {
    const { input, cacheRead = input, cacheWrite = input } = rates;
    const missed = writtenShare * cacheWrite + (1 - writtenShare) * input;
    return { ...rates, cacheRead: hitShare * cacheRead + (1 - hitShare) * missed, cacheWrite: missed };
  };
  const { longPrompts } = prices;
  return { ...mix(prices), ...(longPrompts === undefined ? {} : { longPrompts: longPrompts.map(mix) }) };
}
