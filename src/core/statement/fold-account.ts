import type { MeteredPrices } from "../models/model-entry.ts";
import { ratesFor } from "../models/price.ts";
import type { RealCall } from "./real-calls.ts";
import type { FoldCause, RequestRecord } from "./request-record.ts";
import type { FoldTotals } from "./statement.ts";

type Cause = FoldTotals["cause"];

const CAUSES: ReadonlySet<string> = new Set(["pays", "cold", "threshold", "limit", "request"] satisfies FoldCause[]);

/** Adds up what folds cost and earned, by their causes. */
export interface FoldAccount {
  /** Takes the calls of one model in a row; what is hidden by then goes on earning. */
  add(calls: readonly RealCall[], billed: BilledAt): void;
  /** Folds of one conversation end with it. */
  endSession(): void;
  /** Condensing that was paid for outside of any request. */
  addByHand(costUsd: number): void;
  totals(): readonly FoldTotals[];
}

export interface BilledAt {
  readonly prices: MeteredPrices;
  /** Whether what a request cost and earned is part of the sum. */
  readonly isCounted: (record: RequestRecord) => boolean;
}

export function createFoldAccount(): FoldAccount {
  const totals = new Map<Cause, FoldTotals>();
  const hidden = createHiddenTokens();

  function add(cause: Cause, more: Omit<FoldTotals, "cause">): void {
    const sum = totals.get(cause) ?? { cause, requests: 0, hiddenTokens: 0, costUsd: 0, earnedUsd: 0 };
    totals.set(cause, {
      cause,
      requests: sum.requests + more.requests,
      hiddenTokens: sum.hiddenTokens + more.hiddenTokens,
      costUsd: sum.costUsd + more.costUsd,
      earnedUsd: sum.earnedUsd + more.earnedUsd,
    });
  }

  function addCall(call: RealCall, { prices, isCounted }: BilledAt): void {
    const { record, isWarm, isRewritten, shownTokens, arrivedTokens } = call;
    const { input, cacheRead = input, cacheWrite = input } = ratesFor(prices, call.promptTokens);
    hidden.keep(record.hiddenTokens);
    const hiddenTokens = Math.max(0, record.hiddenTokens - hidden.total());
    if (isRewritten) {
      const cause = causeOf(call);
      const rewrittenTokens = isWarm ? Math.max(0, shownTokens - arrivedTokens) : 0;
      const costUsd = record.condenseUsd + ((cacheWrite - cacheRead) * rewrittenTokens) / 1_000_000;
      if (isCounted(record)) add(cause, { requests: 1, hiddenTokens, costUsd, earnedUsd: 0 });
      if (hiddenTokens > 0) hidden.push(cause, hiddenTokens);
    }
    if (!isCounted(record)) return;
    const rate = (isWarm ? cacheRead : cacheWrite) / 1_000_000;
    for (const [cause, tokens] of hidden.byCause()) {
      add(cause, { requests: 0, hiddenTokens: 0, costUsd: 0, earnedUsd: rate * tokens });
    }
  }

  return {
    add: (calls, billed) => {
      for (const call of calls) addCall(call, billed);
    },
    endSession: hidden.clear,
    addByHand: (costUsd) => {
      if (costUsd > 0) add("hand", { requests: 0, hiddenTokens: 0, costUsd, earnedUsd: 0 });
    },
    totals: () => [...totals.values()].sort((a, b) => a.costUsd - b.costUsd),
  };
}

function causeOf({ record }: RealCall): Cause {
  const { reason } = record.decision;
  return record.foldIds.length > 0 && isCause(reason) ? reason : "hand";
}

function isCause(reason: string): reason is FoldCause {
  return CAUSES.has(reason);
}

/** What is hidden now, with its sums at hand: a long session has many folds, and every request asks for all of them. */
function createHiddenTokens() {
  /** The newest last. */
  const folds: { readonly cause: Cause; readonly tokens: number }[] = [];
  const sums = new Map<Cause, number>();
  const total = () => [...sums.values()].reduce((sum, tokens) => sum + tokens, 0);
  const change = (cause: Cause, tokens: number) => void sums.set(cause, (sums.get(cause) ?? 0) + tokens);
  function push(cause: Cause, tokens: number): void {
    folds.push({ cause, tokens });
    change(cause, tokens);
  }
  return {
    push,
    total,
    byCause: () => [...sums].filter(([, tokens]) => tokens > 0),
    /** What was restored or rewound no longer earns: the newest folds go first. */
    keep: (tokens: number): void => {
      let tooMany = total() - tokens;
      while (tooMany > 0) {
        const newest = folds.pop();
        if (newest === undefined) return;
        change(newest.cause, -newest.tokens);
        if (newest.tokens > tooMany) push(newest.cause, newest.tokens - tooMany);
        tooMany -= newest.tokens;
      }
    },
    clear: (): void => {
      folds.length = 0;
      sums.clear();
    },
  };
}
