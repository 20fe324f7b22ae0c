import type { ModelEntry } from "./model-entry.ts";

// Checked November 2026 against Alibaba Cloud Model Studio's "Models" and "Context Cache" pages, international rates.
// Cached tokens of the implicit cache cost a fifth of the input price; its lifetime is not published (assumed: five minutes).

const QWEN = {
  contextWindow: 1_000_000,
  outputLimitTokens: 65_536,
  cacheTtlMs: 5 * 60_000,
  takesImages: false,
  requiresReasoningBack: false,
} as const;

/** Alibaba's Qwen models. */
export const QWEN_MODELS: readonly ModelEntry[] = [
  {
    id: "qwen3.8-max",
    ...QWEN,
    takesImages: true,
    pricesUsdPerMillion: { type: "metered", input: 2, output: 6, cacheRead: 0.4 },
  },
  {
    id: "qwen3.7-max",
    ...QWEN,
    inputLimitTokens: 991_808,
    pricesUsdPerMillion: { type: "metered", input: 2.5, output: 7.5, cacheRead: 0.5 },
  },
  {
    id: "qwen3.7-plus",
    ...QWEN,
    takesImages: true,
    pricesUsdPerMillion: {
      type: "metered",
      input: 0.4,
      output: 1.6,
      cacheRead: 0.08,
      longPrompts: [{ aboveTokens: 256_000, input: 1.2, output: 4.8, cacheRead: 0.24 }],
    },
  },
  {
    id: "qwen3-coder-plus",
    ...QWEN,
    pricesUsdPerMillion: {
      type: "metered",
      input: 1,
      output: 5,
      cacheRead: 0.2,
      longPrompts: [
        { aboveTokens: 32_000, input: 1.8, output: 9, cacheRead: 0.36 },
        { aboveTokens: 128_000, input: 3, output: 15, cacheRead: 0.6 },
        { aboveTokens: 256_000, input: 6, output: 60, cacheRead: 1.2 },
      ],
    },
  },
  { id: "qwen3-coder", ...QWEN, contextWindow: 262_144, pricesUsdPerMillion: { type: "self-hosted" } },

  {
    id: "qwen",
    ...QWEN,
    contextWindow: 131_072,
    outputLimitTokens: 16_384,
    pricesUsdPerMillion: { type: "unknown" },
  },
];
