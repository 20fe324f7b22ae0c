import type { ModelEntry } from "../../core/models/model-entry.ts";
import { priceOf } from "../../core/models/price.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { promptTokensOf } from "../prompt-tokens-of.ts";

export interface TurnCosts {
  readonly costUsd: number | undefined;
  readonly savedUsd: number | undefined;
}

/** What a request cost, and what the tokens that were not sent would have cost on top, cached as those that were. */
export function costsOf(model: ModelEntry, usage: ReportedUsage | undefined, hiddenTokens: number): TurnCosts {
  if (usage === undefined) return { costUsd: undefined, savedUsd: undefined };
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  const outputTokens = (usage.outputTokens ?? 0) + reasoningTokens;
  const costUsd = priceOf(model, { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens });
  const promptUsd = priceOf(model, { inputTokens, outputTokens: 0, cacheReadTokens, cacheWriteTokens });
  const promptTokens = promptTokensOf(usage);
  if (promptUsd === undefined || promptTokens === 0) return { costUsd, savedUsd: undefined };
  return { costUsd, savedUsd: (promptUsd / promptTokens) * hiddenTokens };
}
