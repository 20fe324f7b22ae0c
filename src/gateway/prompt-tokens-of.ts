import type { ReportedUsage } from "../core/tokens/forecast.ts";

/** The whole prompt, what came from a cache and what went into it included. */
export function promptTokensOf({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: ReportedUsage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}
