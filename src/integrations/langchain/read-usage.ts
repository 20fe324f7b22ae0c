import { asTokens, fieldAt } from "../../core/json/read-json.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";

/** What the provider reported for a call; undefined where it reported nothing. LangChain's input counts all of the prompt. */
export function readUsage(reply: unknown): ReportedUsage | undefined {
  const tokensAt = (...path: readonly string[]) => asTokens(fieldAt(reply, "usage_metadata", ...path));
  const promptTokens = tokensAt("input_tokens");
  const cacheReadTokens = tokensAt("input_token_details", "cache_read");
  const cacheWriteTokens = tokensAt("input_token_details", "cache_creation");
  const reasoningTokens = tokensAt("output_token_details", "reasoning");
  const inputTokens = promptTokens - cacheReadTokens - cacheWriteTokens;
  if (promptTokens === 0 || inputTokens < 0) return undefined;
  const outputTokens = Math.max(0, tokensAt("output_tokens") - reasoningTokens);
  return { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens };
}
