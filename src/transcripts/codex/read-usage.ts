import { asRecord, asTokens, type JsonRecord } from "../../core/json/read-json.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import type { RequestUsage } from "../../core/transcript/assemble-transcript.ts";

export interface ReportedTokens {
  readonly usage: RequestUsage;
  /** Prompt and reply of that request. */
  readonly totalTokens: number;
}

/**
 * Gives what each token count says about a new request, and undefined for those that only repeat the last one, or that estimate
 * the size of the context after a compaction.
 */
export function createUsageReader(): (payload: JsonRecord) => ReportedTokens | undefined {
  let lastTotals = "";
  return (payload) => {
    const info = asRecord(payload.info);
    const last = asRecord(info?.last_token_usage);
    if (last === undefined) return undefined;
    const totals = serialize(info?.total_token_usage ?? last);
    const cached = asTokens(last.cached_input_tokens);
    const prompt = asTokens(last.input_tokens);
    const outputTokens = asTokens(last.output_tokens);
    if (totals === lastTotals || prompt + outputTokens === 0) return undefined;
    lastTotals = totals;
    return {
      usage: {
        inputTokens: Math.max(0, prompt - cached),
        outputTokens,
        cacheReadTokens: cached,
        cacheWriteTokens: 0,
      },
      totalTokens: prompt + outputTokens,
    };
  };
}
