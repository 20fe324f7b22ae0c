import type { Answer } from "../answer.ts";
import type { JsonObject } from "../json.ts";

/** DeepSeek tells hits and misses of its cache, and no writes: these are misses. */
export function renderUsage({ usage }: Answer): JsonObject {
  const missTokens = usage.inputTokens + usage.cacheWriteTokens;
  const promptTokens = missTokens + usage.cacheReadTokens;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: promptTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    prompt_cache_hit_tokens: usage.cacheReadTokens,
    prompt_cache_miss_tokens: missTokens,
  };
}
