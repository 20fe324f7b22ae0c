import { type ModelEntry, usd } from "./model-entry.ts";

// Checked November 2026 against DeepSeek's "Models & Pricing" and "Thinking Mode" pages. These are the peak rates, twice the
// off-peak ones: this code does not know the time of day. The disk cache lives for hours to days; one hour is on the safe side.

const DEEPSEEK = {
  contextWindow: 1_000_000,
  outputLimitTokens: 384_000,
  cacheTtlMs: 60 * 60_000,
  takesImages: false,
  requiresReasoningBack: true,
} as const;

const V3 = { ...DEEPSEEK, contextWindow: 128_000, outputLimitTokens: 64_000 } as const;

/** DeepSeek's models. */
export const DEEPSEEK_MODELS: readonly ModelEntry[] = [
  {
    id: "deepseek-flash",
    aliases: ["deepseek-v4-flash", "deepseek-v4.1-flash"],
    ...DEEPSEEK,
    takesImages: true,
    pricesUsdPerMillion: usd(0.3, 1.2, 0.006),
  },
  { id: "deepseek-v4-pro", ...DEEPSEEK, pricesUsdPerMillion: usd(1.32, 3.96, 0.044) },
  // V3.2, at DeepSeek itself until July 2026
  { id: "deepseek-chat", aliases: ["deepseek-v3.2"], ...V3, pricesUsdPerMillion: usd(0.28, 0.42, 0.028) },
  { id: "deepseek-reasoner", ...V3, pricesUsdPerMillion: usd(0.28, 0.42, 0.028) },

  { id: "deepseek", ...V3, pricesUsdPerMillion: { type: "self-hosted" } },
];
