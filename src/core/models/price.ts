import { assertNumber, assertObject } from "../assert.ts";
import type { MeteredPrices, ModelEntry, TokenPrices } from "./model-entry.ts";
import { findModel, isEntry } from "./registry.ts";

/**
 * The tokens of one request, each counted once: `inputTokens` are those that were neither read from nor written to a cache.
 * Anthropic reports it that way; OpenAI's and Gemini's prompt totals include the cached tokens, so subtract those first.
 */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** @default 0 */
  readonly cacheReadTokens?: number;
  /** @default 0 */
  readonly cacheWriteTokens?: number;
}

/**
 * The cost of a request in USD: 0 for a model that its user hosts, undefined for one whose prices are unknown.
 * @example
 * ```ts
 * import { priceOf } from "palimpsest";
 * console.log(priceOf("claude-sonnet-4-5", { inputTokens: 1_000_000, outputTokens: 0 })); // 3
 * console.log(priceOf("nobody-knows-it", { inputTokens: 5, outputTokens: 5 })); // undefined
 * ```
 */
export function priceOf(model: ModelEntry | string, usage: TokenUsage): number | undefined {
  assertObject("usage", usage);
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  for (const [field, tokens] of Object.entries({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens })) {
    assertNumber(`usage.${field}`, tokens, 0);
  }
  const prices = (isEntry(model) ? model : findModel(model)).pricesUsdPerMillion;
  if (prices.type !== "metered") return prices.type === "self-hosted" ? 0 : undefined;
  const rates = ratesFor(prices, inputTokens + cacheReadTokens + cacheWriteTokens);
  const { input, output, cacheRead = input, cacheWrite = input } = rates;
  const microUsd =
    inputTokens * input + outputTokens * output + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite;
  return microUsd / 1_000_000;
}

/** The rates for a request with so many prompt tokens, cached ones included. */
export function ratesFor(prices: MeteredPrices, promptTokens: number): TokenPrices {
  return prices.longPrompts?.findLast((long) => promptTokens > long.aboveTokens) ?? prices;
}
