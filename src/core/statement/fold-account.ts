import type { MeteredPrices } from "../models/model-entry.ts";
import { ratesFor } from "../models/price.ts";
import type { RealCall } from "./real-calls.ts";
import type { FoldCause, RequestRecord } from "./request-record.ts";
import type { FoldCosts, FoldTotals } from "./statement.ts";

type Cause = FoldTotals["cause"];

const CAUSES: ReadonlySet<string> = new Set(["pays", "cold", "threshold", "limit", "request"] satisfies FoldCause[]);

/** Adds up the costs and earnings of folds, one by one and by their causes. */
export interface FoldAccount {
  /** Adds successive calls of one model. Folds that were made before them go on earning. */
  add(calls: readonly RealCall[], billed: BilledAt): void;
  /** Ends all folds of the current session. */
  endSession(): void;
  /** Adds the cost of condensing outside of any request. */
  addByHand(costUsd: number): void;
  totals(): readonly FoldTotals[];
  /** The folds before counted requests. */
  each(): readonly FoldCosts[];
}

export interface BilledAt {
  readonly prices: MeteredPrices;
  /** Whether a request is in the period that is summed. */
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
 * A stack of the folds that hide something now. A fold earns with every request while it hides something. Its earnings are computed once, when
 * it ends, from a running sum per token, so that adding a request takes the same time however many folds a session has.
 */
function createHiddenTokens() {
  /** The newest fold is the last; `earnedBefore` is the value of `earnedPerToken` when it was made. */
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
    /** Ends folds, the newest first, until at most so many tokens are hidden: the others were restored or rewound, and earn no more. */
    keep: (tokens: number): void => {
      while (totalTokens > tokens) {
        const newest = folds.pop();
        if (newest === undefined) return;
        newest.entry.earnedUsd += newest.tokens * (earnedPerToken - newest.earnedBefore);
        const restoredTokens = totalTokens - tokens;
        totalTokens -= newest.tokens;
        if (newest.tokens > restoredTokens) push(newest.entry, newest.tokens - restoredTokens);
      }
    },
  };
}

/** The totals of each cause. A fold from before the period has no cost in it, only earnings. */
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
