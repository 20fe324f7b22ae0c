import { asArray, asNumber, asTokens, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";

/** The report in a reply or in a piece of a stream, wherever servers of this wire put it. */
export function findUsage(reply: unknown): JsonRecord | undefined {
  const places = [
    fieldAt(reply, "usage"),
    ...asArray(fieldAt(reply, "choices")).map((choice) => fieldAt(choice, "usage")),
    fieldAt(reply, "x_groq", "usage"),
  ];
  return places.find((usage): usage is JsonRecord => isRecord(usage) && asNumber(usage.prompt_tokens) !== undefined);
}

/** Each token counted once. `keepsReasoning`: the client sends the reply's reasoning back. */
export function readUsage(usage: JsonRecord, keepsReasoning: boolean): ReportedUsage {
  const promptTokens = asTokens(usage.prompt_tokens);
  const cached =
    asNumber(fieldAt(usage, "prompt_tokens_details", "cached_tokens")) ??
    asNumber(usage.prompt_cache_hit_tokens) ??
    asNumber(usage.cached_tokens);
  const cacheReadTokens = Math.min(asTokens(cached), promptTokens);
  const written = asTokens(fieldAt(usage, "prompt_tokens_details", "cache_write_tokens"));
  const cacheWriteTokens = Math.min(written, promptTokens - cacheReadTokens);
  const reasoningTokens = asTokens(fieldAt(usage, "completion_tokens_details", "reasoning_tokens"));
  const replyTokens = asTokens(usage.completion_tokens);
  return {
    inputTokens: promptTokens - cacheReadTokens - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: keepsReasoning ? replyTokens : Math.max(0, replyTokens - reasoningTokens),
    ...(keepsReasoning || reasoningTokens === 0 ? {} : { reasoningTokens: Math.min(reasoningTokens, replyTokens) }),
  };
}
