import { asArray, asTokens, fieldAt } from "../../core/json/read-json.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";

/** What the provider reported for a call; undefined where it reported nothing. The SDK's input counts all of the prompt. */
export function readUsage(usage: unknown): ReportedUsage | undefined {
  const promptTokens = asTokens(fieldAt(usage, "inputTokens"));
  const cacheReadTokens = detail(usage, "inputTokensDetails", "cached_tokens");
  const reasoningTokens = detail(usage, "outputTokensDetails", "reasoning_tokens");
  const inputTokens = promptTokens - cacheReadTokens;
  if (promptTokens === 0 || inputTokens < 0) return undefined;
  const outputTokens = Math.max(0, asTokens(fieldAt(usage, "outputTokens")) - reasoningTokens);
  return { inputTokens, cacheReadTokens, cacheWriteTokens: 0, outputTokens, reasoningTokens };
}

/** A list with one entry for each request, in the events of a stream the entry alone. */
function detail(usage: unknown, list: string, name: string): number {
  const details = fieldAt(usage, list);
  const entries = Array.isArray(details) ? asArray(details) : [details];
  return entries.reduce<number>((sum, entry) => sum + asTokens(fieldAt(entry, name)), 0);
}
