/** Why the provider's cache did not hold all of the previous request's prefix: by the provider's report, and by comparing the two bodies. */
export interface CacheDiagnosis {
  /** Absent where the provider reports no miss, or was not asked. */
  readonly provider?: ReportedCacheMiss;
  /** Absent where the body only adds to the one before it. */
  readonly predicted?: PredictedCacheMiss;
}

export interface ReportedCacheMiss {
  /** The provider's own word, such as `tools_changed`. */
  readonly reason: string;
  /** The provider's estimate of the tokens that could have come from the cache. */
  readonly missedTokens?: number;
}

/** The first difference between a body and the one before it: the cache cannot be read beyond it. */
export interface PredictedCacheMiss {
  readonly part: PromptPart;
  /** The offset of the first byte that differs in the body that was sent. */
  readonly byte: number;
  /** `agent` where the body that the agent sent differs there too; else `gateway`, by a fold. */
  readonly cause: "agent" | "gateway";
}

export type PromptPart = "model" | "tools" | "system" | "messages";

/** Cache misses for one reason. */
export interface CacheMissTotals {
  /** The provider's own word; `unreported` for misses that we alone predict. */
  readonly reason: string;
  readonly requests: number;
  readonly missedTokens: number;
  /** The number of misses for which we found a change by the agent. */
  readonly byAgent: number;
  /** The number of misses for which we found a change by the gateway. */
  readonly byGateway: number;
}

const UNREPORTED = "unreported";

/** The totals for each reason of a miss, the most frequent first. */
export function sumCacheMisses(diagnoses: readonly CacheDiagnosis[]): readonly CacheMissTotals[] {
  const totals = new Map<string, CacheMissTotals>();
  for (const { provider, predicted } of diagnoses) {
    const reason = provider?.reason ?? UNREPORTED;
    const sum = totals.get(reason) ?? { reason, requests: 0, missedTokens: 0, byAgent: 0, byGateway: 0 };
    totals.set(reason, {
      reason,
      requests: sum.requests + 1,
      missedTokens: sum.missedTokens + (provider?.missedTokens ?? 0),
      byAgent: sum.byAgent + (predicted?.cause === "agent" ? 1 : 0),
      byGateway: sum.byGateway + (predicted?.cause === "gateway" ? 1 : 0),
    });
  }
  return [...totals.values()].toSorted((one, other) => other.requests - one.requests);
}
