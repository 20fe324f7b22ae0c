import type { ReportedUsage } from "../../../core/tokens/forecast.ts";

const FIELDS = ["inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens"] as const;

/** The numbers of a report and nothing else; undefined where one of them cannot be a number of tokens. */
export function readableUsage(usage: ReportedUsage | undefined): ReportedUsage | undefined {
  if (usage === undefined) return undefined;
  const numbers: Partial<Record<(typeof FIELDS)[number], number>> = {};
  for (const field of FIELDS) {
    const tokens: unknown = usage[field] ?? 0;
    if (typeof tokens !== "number" || !(tokens >= 0 && tokens <= Number.MAX_SAFE_INTEGER)) return undefined;
    if (tokens > 0) numbers[field] = tokens;
  }
  return { inputTokens: 0, ...numbers };
}
