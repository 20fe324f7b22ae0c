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
  const hidden = createHiddenTokens();
  let request = 0;
  let byHandUsd = 0;

  function addCall(call: RealCall, { prices, isCounted }: BilledAt): void {
    const { record, isWarm, isRewritten, shownTokens, arrivedTokens } = call;
    const { input, cacheRead = input, cacheWrite = input } = ratesFor(prices, call.promptTokens);
    hidden.keep(record.hiddenTokens);
    const hiddenTokens = Math.max(0, record.hiddenTokens - hidden.total());
    if (isRewritten) {
      const rewrittenTokens = isWarm ? Math.max(0, shownTokens - arrivedTokens) : 0;
      const costUsd = record.condenseUsd + ((cacheWrite - cacheRead) * rewrittenTokens) / 1_000_000;
      const made = { request, at: record.at, cause: causeOf(call), hiddenTokens, costUsd, earnedUsd: 0 };
      const entry = { ...made, isCounted: isCounted(record) };
      entries.push(entry);
      if (hiddenTokens > 0) hidden.push(entry, hiddenTokens);
    }
    if (!isCounted(record)) return;
    request += 1;
    hidden.earn((isWarm ? cacheRead : cacheWrite) / 1_000_000);
  }

  return {
    add: (calls, billed) => {
      for (const call of calls) addCall(call, billed);
    },
    endSession: () => {
      hidden.keep(0);
      request = 0;
    },
    addByHand: (costUsd) => {
      byHandUsd += Math.max(0, costUsd);
    },
    totals: () => totalsOf(entries, byHandUsd),
    each: () => entries.filter((entry) => entry.isCounted).map(({ isCounted: _, ...costs }) => costs),
  };
}

/**
 * What is hidden now. A fold earns with every request for as long as it hides something; what each earned is written down when it
 * ends, so that a request costs the same however many folds a session has.
 */
function createHiddenTokens() {
  /** The newest last, each with what a token had earned in all when it was hidden. */
  const folds: { readonly entry: Entry; readonly tokens: number; readonly earnedBefore: number }[] = [];
  let totalTokens = 0;
  let earnedPerToken = 0;
  function push(entry: Entry, tokens: number): void {
    folds.push({ entry, tokens, earnedBefore: earnedPerToken });
    totalTokens += tokens;
  }
  return {
    push,
    total: () => totalTokens,
    earn: (usdPerToken: number): void => {
      earnedPerToken += usdPerToken;
    },
    /** What was restored or rewound no longer earns: the newest folds go first. */
    keep: (tokens: number): void => {
      while (totalTokens > tokens) {
        const newest = folds.pop();
        if (newest === undefined) return;
        newest.entry.earnedUsd += newest.tokens * (earnedPerToken - newest.earnedBefore);
        const tooMany = totalTokens - tokens;
        totalTokens -= newest.tokens;
        if (newest.tokens > tooMany) push(newest.entry, newest.tokens - tooMany);
      }
    },
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
