/** Why a request could not be read from the provider's cache as far as the one before it: what the provider says, and what we say. */
export interface CacheDiagnosis {
  /** Absent where the provider says that nothing was missed, or was not asked. */
  readonly provider?: ReportedCacheMiss;
  /** Absent where we find that nothing changed but at the end. */
  readonly predicted?: PredictedCacheMiss;
}

export interface ReportedCacheMiss {
  /** In the provider's own words, such as `tools_changed`. */
  readonly reason: string;
  /** The provider's estimate of what would have come from the cache. */
  readonly missedTokens?: number;
}

/** The first change that a cache cannot read past. */
export interface PredictedCacheMiss {
  readonly part: PromptPart;
  /** Of the body that was sent: the first one that differs. */
  readonly byte: number;
  /** The agent, where what it sent differs there too; else the gateway, by a fold. */
  readonly cause: "agent" | "gateway";
}

export type PromptPart = "model" | "tools" | "system" | "messages";

/** Cache misses for one reason. */
export interface CacheMissTotals {
  /** In the provider's words; `unreported` where only we say that there was one. */
  readonly reason: string;
  readonly requests: number;
  readonly missedTokens: number;
  /** For how many of them we name the change, by whom it was made. */
  readonly byAgent: number;
  readonly byGateway: number;
}

const UNREPORTED = "unreported";

/** The misses of some requests, by reason, the most frequent first. */
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
