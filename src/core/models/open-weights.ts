import type { ModelEntry } from "./model-entry.ts";

// Checked November 2026 against Moonshot's "Kimi API pricing", Z.ai's "Pricing", Mistral's "Models" page (list prices, not
// the preview discount) and Meta's Llama model cards. Cache lifetimes are not published; five minutes is an assumption.

const HOSTED = { cacheTtlMs: 5 * 60_000, takesImages: false, requiresReasoningBack: false } as const;
const KIMI = { ...HOSTED, takesImages: true, requiresReasoningBack: true } as const;
const GLM = { ...HOSTED, outputLimitTokens: 131_072, requiresReasoningBack: true } as const;
const LLAMA = { ...HOSTED, cacheTtlMs: 0, pricesUsdPerMillion: { type: "self-hosted" } } as const;

/** Moonshot's Kimi, Z.ai's GLM, Mistral and Llama models. */
export const OPEN_WEIGHTS_MODELS: readonly ModelEntry[] = [
  {
    id: "kimi-k3",
    ...KIMI,
    contextWindow: 1_048_576,
    outputLimitTokens: 262_144,
    pricesUsdPerMillion: { type: "metered", input: 3, output: 15, cacheRead: 0.3 },
  },
  {
    id: "kimi-k2.6",
    ...KIMI,
    contextWindow: 262_144,
    outputLimitTokens: 262_144,
    pricesUsdPerMillion: { type: "metered", input: 0.95, output: 4, cacheRead: 0.16 },
  },
  {
    id: "kimi",
    ...KIMI,
    contextWindow: 262_144,
    outputLimitTokens: 32_768,
    pricesUsdPerMillion: { type: "self-hosted" },
  },

  {
    id: "glm-5.3",
    aliases: ["glm-5.2"],
    ...GLM,
    contextWindow: 1_048_576,
    pricesUsdPerMillion: { type: "metered", input: 1.4, output: 4.4, cacheRead: 0.26 },
  },
  {
    id: "glm-5.1",
    ...GLM,
    contextWindow: 204_800,
    pricesUsdPerMillion: { type: "metered", input: 1.4, output: 4.4, cacheRead: 0.26 },
  },
  {
    id: "glm-4.7",
    aliases: ["glm-4.6"],
    ...GLM,
    contextWindow: 204_800,
    pricesUsdPerMillion: { type: "metered", input: 0.6, output: 2.2, cacheRead: 0.11 },
  },
  { id: "glm", ...GLM, contextWindow: 131_072, pricesUsdPerMillion: { type: "self-hosted" } },

  {
    id: "mistral-large-4",
    aliases: ["mistral-large"],
    ...HOSTED,
    contextWindow: 1_048_576,
    outputLimitTokens: 262_144,
    takesImages: true,
    pricesUsdPerMillion: { type: "metered", input: 1.36, output: 4.18, cacheRead: 0.14 },
  },
  {
    id: "mistral-large-3",
    aliases: ["mistral-large-2512"],
    ...HOSTED,
    contextWindow: 262_144,
    outputLimitTokens: 262_144,
    cacheTtlMs: 0,
    takesImages: true,
    pricesUsdPerMillion: { type: "metered", input: 0.5, output: 1.5 },
  },
  {
    id: "mistral-medium-3.5",
    aliases: ["mistral-medium"],
    ...HOSTED,
    contextWindow: 262_144,
    outputLimitTokens: 262_144,
    cacheTtlMs: 0,
    takesImages: true,
    pricesUsdPerMillion: { type: "metered", input: 1.5, output: 7.5 },
  },
  {
    id: "mistral",
    aliases: ["devstral", "codestral", "magistral", "ministral"],
    ...HOSTED,
    contextWindow: 128_000,
    outputLimitTokens: 16_384,
    cacheTtlMs: 0,
    pricesUsdPerMillion: { type: "unknown" },
  },

  {
    id: "llama-4-maverick",
    ...LLAMA,
    contextWindow: 1_048_576,
    outputLimitTokens: 8_192,
    takesImages: true,
  },
  // the weights allow ten million; what a host really serves is for the user to say
  { id: "llama-4", ...LLAMA, contextWindow: 131_072, outputLimitTokens: 8_192, takesImages: true },
  { id: "llama", ...LLAMA, contextWindow: 131_072, outputLimitTokens: 8_192 },
];
