import { type MeteredPrices, type ModelEntry, usd } from "./model-entry.ts";

// Checked November 2026 against Google's "Gemini API pricing" and "Gemini models" pages. Paid tier, list prices:
// introductory discounts (4 Argon until the end of November, 3.8 Flash until the end of December) are not counted.
// Google does not publish how long its implicit cache lives; five minutes is an assumption.
// Gemini 1.5 is as it was when it was current.

const GEMINI = {
  contextWindow: 1_048_576,
  outputLimitTokens: 65_536,
  cacheTtlMs: 5 * 60_000,
  takesImages: true,
  // thought signatures travel inside the blocks, which we never change
  requiresReasoningBack: false,
} as const;

const PRO_3: MeteredPrices = {
  ...usd(2, 12, 0.2),
  longPrompts: [{ aboveTokens: 200_000, input: 4, output: 18, cacheRead: 0.4 }],
};

/** Google's Gemini models. */
export const GEMINI_MODELS: readonly ModelEntry[] = [
  { id: "gemini-4-argon", ...GEMINI, outputLimitTokens: 1_048_576, pricesUsdPerMillion: usd(4, 20, 0.2) },

  { id: "gemini-3.1-pro", aliases: ["gemini-3-pro"], ...GEMINI, pricesUsdPerMillion: PRO_3 },
  {
    id: "gemini-3.8-flash",
    aliases: ["gemini-3.7-flash", "gemini-3.6-flash"],
    ...GEMINI,
    pricesUsdPerMillion: usd(1.5, 7.5, 0.15),
  },
  { id: "gemini-3.5-flash", ...GEMINI, pricesUsdPerMillion: usd(1.5, 9, 0.15) },
  { id: "gemini-3.5-flash-lite", ...GEMINI, pricesUsdPerMillion: usd(0.3, 2.5, 0.03) },
  { id: "gemini-3.1-flash-lite", ...GEMINI, pricesUsdPerMillion: usd(0.25, 1.5, 0.025) },
  { id: "gemini-3-flash", ...GEMINI, pricesUsdPerMillion: usd(0.5, 3, 0.05) },

  {
    id: "gemini-2.5-pro",
    ...GEMINI,
    pricesUsdPerMillion: {
      ...usd(1.25, 10, 0.125),
      longPrompts: [{ aboveTokens: 200_000, input: 2.5, output: 15, cacheRead: 0.25 }],
    },
  },
  { id: "gemini-2.5-flash", ...GEMINI, pricesUsdPerMillion: usd(0.3, 2.5, 0.03) },
  { id: "gemini-2.5-flash-lite", ...GEMINI, pricesUsdPerMillion: usd(0.1, 0.4, 0.01) },

  // switched off at Google; kept for old sessions and their prices
  { id: "gemini-2.0-flash", ...GEMINI, outputLimitTokens: 8_192, pricesUsdPerMillion: usd(0.1, 0.4, 0.025) },
  {
    id: "gemini-1.5-pro",
    ...GEMINI,
    contextWindow: 2_097_152,
    outputLimitTokens: 8_192,
    pricesUsdPerMillion: {
      ...usd(1.25, 5, 0.3125),
      longPrompts: [{ aboveTokens: 128_000, input: 2.5, output: 10, cacheRead: 0.625 }],
    },
  },
  {
    id: "gemini-1.5-flash",
    ...GEMINI,
    outputLimitTokens: 8_192,
    pricesUsdPerMillion: {
      ...usd(0.075, 0.3, 0.01875),
      longPrompts: [{ aboveTokens: 128_000, input: 0.15, output: 0.6, cacheRead: 0.0375 }],
    },
  },

  { id: "gemini", ...GEMINI, pricesUsdPerMillion: { type: "unknown" } },
];
