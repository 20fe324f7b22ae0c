import { assertObject } from "../assert.ts";
import type { ReportedUsage } from "./forecast.ts";

/** What Anthropic's client calls `usage`. */
export interface AnthropicUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
}

/** What OpenAI's client calls `usage` of a chat completion. */
export interface OpenAiChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
}

/** What OpenAI's client calls `usage` of a response. */
export interface OpenAiResponsesUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly input_tokens_details?: { readonly cached_tokens?: number | null } | null;
  readonly output_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
}

/** What Gemini's client calls `usageMetadata`. */
export interface GeminiUsage {
  readonly promptTokenCount?: number;
  readonly cachedContentTokenCount?: number;
  readonly candidatesTokenCount?: number;
  readonly thoughtsTokenCount?: number;
}

/** Usage as a provider's official client reports it. */
export type ProviderUsage = AnthropicUsage | OpenAiChatUsage | OpenAiResponsesUsage | GeminiUsage;

/** Converts a provider's report to a {@link ReportedUsage}, in which each token is in one field. One that is a {@link ReportedUsage} already is returned as it is. */
export function reportedUsage(usage: ReportedUsage | ProviderUsage): ReportedUsage {
  assertObject("usage", usage);
  if ("inputTokens" in usage) return usage;
  if ("prompt_tokens" in usage) {
    return fromTotal(usage.prompt_tokens, {
      cached: usage.prompt_tokens_details?.cached_tokens,
      written: usage.completion_tokens,
      reasoning: usage.completion_tokens_details?.reasoning_tokens,
    });
  }
  if ("total_tokens" in usage) {
    return fromTotal(usage.input_tokens, {
      cached: usage.input_tokens_details?.cached_tokens,
      written: usage.output_tokens,
      reasoning: usage.output_tokens_details?.reasoning_tokens,
    });
  }
  if ("input_tokens" in usage) {
    return {
      inputTokens: usage.input_tokens,
      cacheReadTokens: usage.cache_read_input_tokens ?? 0,
      cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
      outputTokens: usage.output_tokens,
    };
  }
  const { promptTokenCount = 0, cachedContentTokenCount, candidatesTokenCount = 0, thoughtsTokenCount } = usage;
  const written = candidatesTokenCount + (thoughtsTokenCount ?? 0);
  return fromTotal(promptTokenCount, { cached: cachedContentTokenCount, written, reasoning: thoughtsTokenCount });
}

interface TotalParts {
  readonly cached: number | null | undefined;
  /** Reasoning included. */
  readonly written: number;
  readonly reasoning: number | null | undefined;
}

/** For providers whose prompt total includes cached tokens, and whose output includes reasoning. */
function fromTotal(total: number, { cached, written, reasoning }: TotalParts): ReportedUsage {
  const cacheReadTokens = cached ?? 0;
  const reasoningTokens = reasoning ?? 0;
  return {
    inputTokens: Math.max(0, total - cacheReadTokens),
    cacheReadTokens,
    outputTokens: Math.max(0, written - reasoningTokens),
    reasoningTokens,
  };
}
