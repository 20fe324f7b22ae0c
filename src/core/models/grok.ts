import type { MeteredPrices, ModelEntry } from "./model-entry.ts";

// Checked November 2026 against xAI's "Models and Pricing" page. The lifetime of its cache is not published (assumed: five
// minutes).

const GROK = { cacheTtlMs: 5 * 60_000, takesImages: true, requiresReasoningBack: false } as const;

// past 200,000 tokens the whole request pays double
function usd(input: number, output: number, cacheRead: number): MeteredPrices {
  const long = { aboveTokens: 200_000, input: 2 * input, output: 2 * output, cacheRead: 2 * cacheRead };
  return { type: "metered", input, output, cacheRead, longPrompts: [long] };
}

/** xAI's Grok models. */
export const GROK_MODELS: readonly ModelEntry[] = [
  {
    id: "grok-4.7",
    aliases: ["grok-4.6", "grok-4.5"],
    ...GROK,
    contextWindow: 500_000,
    outputLimitTokens: 500_000,
    pricesUsdPerMillion: usd(2, 6, 0.5),
  },
  {
    id: "grok-4.3",
    aliases: ["grok-4.20"],
    ...GROK,
    contextWindow: 1_000_000,
    outputLimitTokens: 30_000,
    pricesUsdPerMillion: usd(1.25, 2.5, 0.2),
  },
  {
    id: "grok",
    ...GROK,
    contextWindow: 131_072,
    outputLimitTokens: 30_000,
    pricesUsdPerMillion: { type: "unknown" },
  },
];
