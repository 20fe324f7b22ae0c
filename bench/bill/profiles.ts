import { findModel, type MeteredPrices, type ModelEntry } from "palimpsest/core";

/** Prices of a model and the lifetime of its prompt cache; sizes are the recorded ones in all of them. */
export interface Profile {
  readonly name: string;
  readonly entry: ModelEntry;
  readonly prices: MeteredPrices;
}

/** The recorded sessions are of Claude models: all but prices and cache stays as it is there. */
function profileOf(name: string, modelId: string): Profile {
  const { pricesUsdPerMillion: prices, cacheTtlMs } = findModel(modelId);
  if (prices.type !== "metered") throw new Error(`The prices of ${modelId} are ${prices.type}.`);
  const base = findModel("claude-sonnet-4-5");
  return { name, prices, entry: { ...base, id: modelId, pricesUsdPerMillion: prices, cacheTtlMs } };
}

/** Anthropic's cache that lives for an hour: to fill it costs twice the input price. */
function withHourCache({ entry, prices }: Profile, name: string): Profile {
  const hourPrices = { ...prices, cacheWrite: 2 * prices.input };
  return { name, prices: hourPrices, entry: { ...entry, pricesUsdPerMillion: hourPrices, cacheTtlMs: 60 * 60_000 } };
}

export const ANTHROPIC_5_MINUTES = profileOf("Anthropic, 5 min", "claude-sonnet-4-5");

/** Every price profile that the bench knows. */
export const PROFILES: readonly Profile[] = [
  ANTHROPIC_5_MINUTES,
  withHourCache(ANTHROPIC_5_MINUTES, "Anthropic, 1 h"),
  profileOf("OpenAI gpt-5", "gpt-5"),
  profileOf("Gemini 2.5 Pro", "gemini-2.5-pro"),
  profileOf("DeepSeek v4 Pro", "deepseek-v4-pro"),
];
