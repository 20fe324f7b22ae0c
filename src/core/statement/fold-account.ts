import type { MeteredPrices } from "../models/model-entry.ts";
import { ratesFor } from "../models/price.ts";
import type { RealCall } from "./real-calls.ts";
import type { FoldCause, RequestRecord } from "./request-record.ts";
import type { FoldCosts, FoldTotals } from "./statement.ts";

type Cause = FoldTotals["cause"];

const CAUSES: ReadonlySet<string> = new Set(["pays", "cold", "threshold", "limit", "request"] satisfies FoldCause[]);

/** Adds up what folds cost and earned, one by one and by their causes. */
export interface FoldAccount {
  /** Takes the calls of one model in a row; what is hidden by then goes on earning. */
  add(calls: readonly RealCall[], billed: BilledAt): void;
  /** Folds of one conversation end with it. */
  endSession(): void;
  /** Condensing that was paid for outside of any request. */
  addByHand(costUsd: number): void;
  totals(): readonly FoldTotals[];
  /** The folds of requests that are part of the sum. */
  each(): readonly FoldCosts[];
}

export interface BilledAt {
  readonly prices: MeteredPrices;
  /** Whether what a request cost and earned is part of the sum. */
  readonly isCounted: (record: RequestRecord) => boolean;
}

type Entry = { -readonly [Field in keyof FoldCosts]: FoldCosts[Field] } & { isCounted: boolean };

export function createFoldAccount(): FoldAccount {
  const entries: Entry[] = [];
  /** What is hidden now, the newest last. */
  let hidden: { readonly entry: Entry; readonly tokens: number }[] = [];
  let request = 0;
  let byHandUsd = 0;

  /** What was restored or rewound no longer earns: the newest folds go first. */
  function hideOnly(tokens: number): void {
    let tooMany = hidden.reduce((sum, fold) => sum + fold.tokens, 0) - tokens;
    while (tooMany > 0) {
      const newest = hidden.pop();
      if (newest === undefined) return;
      if (newest.tokens > tooMany) hidden.push({ ...newest, tokens: newest.tokens - tooMany });
      tooMany -= newest.tokens;
    }
  }

  function addCall(call: RealCall, { prices, isCounted }: BilledAt): void {
    const { record, isWarm, isRewritten, shownTokens, arrivedTokens } = call;
    const { input, cacheRead = input, cacheWrite = input } = ratesFor(prices, call.promptTokens);
    hideOnly(record.hiddenTokens);
    const known = hidden.reduce((sum, fold) => sum + fold.tokens, 0);
    const hiddenTokens = Math.max(0, record.hiddenTokens - known);
    if (isRewritten) {
      const rewrittenTokens = isWarm ? Math.max(0, shownTokens - arrivedTokens) : 0;
      const costUsd = record.condenseUsd + ((cacheWrite - cacheRead) * rewrittenTokens) / 1_000_000;
      const made = { request, at: record.at, cause: causeOf(call), hiddenTokens, costUsd, earnedUsd: 0 };
      const entry = { ...made, isCounted: isCounted(record) };
      entries.push(entry);
      if (hiddenTokens > 0) hidden.push({ entry, tokens: hiddenTokens });
    }
    request += 1;
    if (!isCounted(record)) return;
    const rate = (isWarm ? cacheRead : cacheWrite) / 1_000_000;
    for (const { entry, tokens } of hidden) entry.earnedUsd += rate * tokens;
  }

  return {
    add: (calls, billed) => {
      for (const call of calls) addCall(call, billed);
    },
    endSession: () => {
      hidden = [];
      request = 0;
    },
    addByHand: (costUsd) => {
      byHandUsd += Math.max(0, costUsd);
    },
    totals: () => totalsOf(entries, byHandUsd),
    each: () => entries.filter((entry) => entry.isCounted).map(({ isCounted: _, ...costs }) => costs),
  };
}

/** By cause. A fold before the period costs nothing in it, and earns. */
function totalsOf(entries: readonly Entry[], byHandUsd: number): readonly FoldTotals[] {
  const totals = new Map<Cause, FoldTotals>();
  const add = (cause: Cause, more: Omit<FoldTotals, "cause">) => {
    const sum = totals.get(cause) ?? { cause, requests: 0, hiddenTokens: 0, costUsd: 0, earnedUsd: 0 };
    totals.set(cause, {
      cause,
      requests: sum.requests + more.requests,
      hiddenTokens: sum.hiddenTokens + more.hiddenTokens,
      costUsd: sum.costUsd + more.costUsd,
      earnedUsd: sum.earnedUsd + more.earnedUsd,
    });
  };
  for (const { cause, hiddenTokens, costUsd, earnedUsd, isCounted } of entries) {
    if (isCounted) add(cause, { requests: 1, hiddenTokens, costUsd, earnedUsd });
    else if (earnedUsd > 0) add(cause, { requests: 0, hiddenTokens: 0, costUsd: 0, earnedUsd });
  }
  if (byHandUsd > 0) add("hand", { requests: 0, hiddenTokens: 0, costUsd: byHandUsd, earnedUsd: 0 });
  return [...totals.values()].sort((a, b) => a.costUsd - b.costUsd);
}

function causeOf({ record }: RealCall): Cause {
  const { reason } = record.decision;
  return record.foldIds.length > 0 && isCause(reason) ? reason : "hand";
}

function isCause(reason: string): reason is FoldCause {
  return CAUSES.has(reason);
}
