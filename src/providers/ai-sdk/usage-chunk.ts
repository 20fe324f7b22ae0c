import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ModelEntry } from "../../core/models/model-entry.ts";
import { priceOf } from "../../core/models/price.ts";
import type { UsageChunk } from "../../core/ports/model-handler.ts";

/** What tells the cost of a request. */
export interface Pricing {
  readonly entry: ModelEntry;
  readonly isSelfHosted: boolean;
}

/** The usage with each token counted once, and what it cost where that is known; undefined where none was reported. */
export function usageChunk(reported: LanguageModelV4Usage, { entry, isSelfHosted }: Pricing): UsageChunk | undefined {
  const { total, noCache, cacheRead, cacheWrite } = reported.inputTokens;
  if (total === undefined && noCache === undefined && reported.outputTokens.total === undefined) return undefined;
  const cacheReadTokens = cacheRead ?? 0;
  const cacheWriteTokens = cacheWrite ?? 0;
  const usage = {
    // below zero where a server counts cached tokens beside the prompt, not inside it, as its wire would have it
    inputTokens: Math.max(0, noCache ?? (total ?? 0) - cacheReadTokens - cacheWriteTokens),
    outputTokens: reported.outputTokens.total ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
  };
  const totalCost = isSelfHosted ? 0 : priceOf(entry, usage);
  return { type: "usage", ...usage, ...(totalCost !== undefined && { totalCost }) };
}
