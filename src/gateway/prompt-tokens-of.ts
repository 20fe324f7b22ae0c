import type { ReportedUsage } from "../core/tokens/forecast.ts";

/** The tokens of the whole prompt, those read from and written to a cache included. */
export function promptTokensOf({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: ReportedUsage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}
