import { CONDENSE_DEFAULTS } from "./condense-defaults.ts";
import { type MeteredPrices, type ModelEntry, usd } from "./model-entry.ts";

// Checked November 2026 against OpenAI's "Pricing", "Models" and "Prompt caching" pages. Standard tier.
// The `-pro` models have no price for cached tokens. Not checked again since they were current: gpt-4.1 and older, and the
// o series; prices of gpt-5.4 and 5.5 are of spring 2026.

const OPENAI = { cacheTtlMs: 5 * 60_000, takesImages: true, requiresReasoningBack: false } as const;

const WINDOW_1_050_000 = {
  ...OPENAI,
  contextWindow: 1_050_000,
  inputLimitTokens: 922_000,
  outputLimitTokens: 128_000,
} as const;
const FROM_5_6 = { ...WINDOW_1_050_000, cacheTtlMs: 30 * 60_000 } as const;
const GPT_5 = { ...OPENAI, contextWindow: 400_000, inputLimitTokens: 272_000, outputLimitTokens: 128_000 } as const;
const GPT_4_1 = { ...OPENAI, contextWindow: 1_047_576, outputLimitTokens: 32_768 } as const;
const GPT_4O = { ...OPENAI, contextWindow: 128_000, outputLimitTokens: 16_384 } as const;
const O_SERIES = { ...OPENAI, contextWindow: 200_000, outputLimitTokens: 100_000 } as const;

const { gpt4Turbo, gpt35 } = CONDENSE_DEFAULTS;

// past 272,000 tokens the whole request pays double for input and cache, and half more for output
function usdByLength(prices: MeteredPrices): MeteredPrices {
  const { input, output, cacheRead = input, cacheWrite = input } = prices;
  const long = { input: 2 * input, output: 1.5 * output, cacheRead: 2 * cacheRead, cacheWrite: 2 * cacheWrite };
  return { ...prices, longPrompts: [{ aboveTokens: 272_000, ...long }] };
}

// since 5.6 filling the cache costs 1.25 times the input price
function usdFrom56(input: number, output: number, cacheRead: number): MeteredPrices {
  return usdByLength({ ...usd(input, output, cacheRead), cacheWrite: 1.25 * input });
}

/** OpenAI's models. */
export const OPENAI_MODELS: readonly ModelEntry[] = [
  { id: "gpt-6.1-sol", ...FROM_5_6, pricesUsdPerMillion: usdFrom56(2, 10, 0.1) },
  { id: "gpt-6.1-terra", ...FROM_5_6, pricesUsdPerMillion: usdFrom56(1, 5, 0.05) },
  { id: "gpt-6-astra", ...FROM_5_6, pricesUsdPerMillion: usdFrom56(10, 50, 1) },
  { id: "gpt-6-sol", ...FROM_5_6, pricesUsdPerMillion: usdFrom56(2, 10, 0.2) },
  { id: "gpt-6-luna", ...FROM_5_6, pricesUsdPerMillion: usdFrom56(0.1, 0.5, 0.01) },
  { id: "gpt-5.6-sol", aliases: ["gpt-5.6"], ...FROM_5_6, pricesUsdPerMillion: usdFrom56(4, 20, 0.4) },
  { id: "gpt-5.6-terra", ...FROM_5_6, pricesUsdPerMillion: usdFrom56(2, 12, 0.2) },
  { id: "gpt-5.6-luna", ...FROM_5_6, pricesUsdPerMillion: usdFrom56(0.2, 1.2, 0.02) },
  { id: "gpt-5.5", ...WINDOW_1_050_000, pricesUsdPerMillion: usdByLength(usd(5, 30, 0.5)) },
  {
    id: "gpt-5.5-pro",
    aliases: ["gpt-5.4-pro"],
    ...WINDOW_1_050_000,
    pricesUsdPerMillion: usdByLength({ type: "metered", input: 30, output: 180 }),
  },
  { id: "gpt-5.4", ...WINDOW_1_050_000, pricesUsdPerMillion: usdByLength(usd(2.5, 15, 0.25)) },
  { id: "gpt-5.4-mini", ...GPT_5, pricesUsdPerMillion: usd(0.75, 4.5, 0.075) },
  { id: "gpt-5.4-nano", ...GPT_5, pricesUsdPerMillion: usd(0.2, 1.25, 0.02) },
  { id: "gpt-5.2", aliases: ["gpt-5.3-codex"], ...GPT_5, pricesUsdPerMillion: usd(1.75, 14, 0.175) },
  { id: "gpt-5.2-pro", ...GPT_5, pricesUsdPerMillion: { type: "metered", input: 21, output: 168 } },
  { id: "gpt-5", aliases: ["gpt-5.1"], ...GPT_5, pricesUsdPerMillion: usd(1.25, 10, 0.125) },
  { id: "gpt-5-pro", ...GPT_5, pricesUsdPerMillion: { type: "metered", input: 15, output: 120 } },
  { id: "gpt-5-mini", aliases: ["gpt-5.1-codex-mini"], ...GPT_5, pricesUsdPerMillion: usd(0.25, 2, 0.025) },
  { id: "gpt-5-nano", ...GPT_5, pricesUsdPerMillion: usd(0.05, 0.4, 0.005) },

  {
    id: "gpt-4.1",
    ...GPT_4_1,
    pricesUsdPerMillion: usd(2, 8, 0.5),
    condense: { ...gpt4Turbo, condenseWith: { type: "model", modelId: "gpt-4.1-mini" } },
  },
  { id: "gpt-4.1-mini", ...GPT_4_1, pricesUsdPerMillion: usd(0.4, 1.6, 0.1) },
  { id: "gpt-4.1-nano", ...GPT_4_1, pricesUsdPerMillion: usd(0.1, 0.4, 0.025) },
  { id: "gpt-4o", aliases: ["chatgpt-4o"], ...GPT_4O, pricesUsdPerMillion: usd(2.5, 10, 1.25), condense: gpt4Turbo },
  { id: "gpt-4o-mini", ...GPT_4O, pricesUsdPerMillion: usd(0.15, 0.6, 0.075) },
  {
    id: "gpt-4-turbo",
    aliases: ["gpt-4-1106-preview", "gpt-4-0125-preview", "gpt-4-vision-preview"],
    ...GPT_4O,
    outputLimitTokens: 4_096,
    cacheTtlMs: 0,
    pricesUsdPerMillion: { type: "metered", input: 10, output: 30 },
    condense: gpt4Turbo,
  },
  {
    id: "gpt-4",
    ...OPENAI,
    contextWindow: 8_192,
    outputLimitTokens: 8_192,
    cacheTtlMs: 0,
    takesImages: false,
    pricesUsdPerMillion: { type: "metered", input: 30, output: 60 },
    condense: gpt4Turbo,
  },
  {
    id: "gpt-3.5-turbo",
    aliases: ["gpt-35-turbo", "gpt-3.5"],
    ...OPENAI,
    contextWindow: 16_000,
    outputLimitTokens: 4_096,
    cacheTtlMs: 0,
    takesImages: false,
    pricesUsdPerMillion: { type: "metered", input: 0.5, output: 1.5 },
    condense: gpt35,
  },

  { id: "o4-mini", ...O_SERIES, pricesUsdPerMillion: usd(1.1, 4.4, 0.275) },
  { id: "o3", ...O_SERIES, pricesUsdPerMillion: usd(2, 8, 0.5) },
  { id: "o3-pro", ...O_SERIES, pricesUsdPerMillion: { type: "metered", input: 20, output: 80 } },
  { id: "o3-mini", ...O_SERIES, takesImages: false, pricesUsdPerMillion: usd(1.1, 4.4, 0.55) },
  { id: "o1", ...O_SERIES, pricesUsdPerMillion: usd(15, 60, 7.5) },

  // any other GPT
  {
    id: "gpt",
    ...OPENAI,
    contextWindow: 200_000,
    outputLimitTokens: 32_768,
    pricesUsdPerMillion: { type: "unknown" },
  },
];
