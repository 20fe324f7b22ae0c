import { CONDENSE_DEFAULTS } from "./condense-defaults.ts";
import type { MeteredPrices, ModelEntry } from "./model-entry.ts";

// Checked November 2026 against Anthropic's "Models overview" and "Pricing" pages. The window is the 200,000 tokens that every
// platform serves; the million of newer models is their extended window. `tokenRatio` was measured on real traffic: the
// tokenizer that came with 4.7 makes about 1.6 tokens of one o200k token, the one before it 1.1.

const CLAUDE = {
  contextWindow: 200_000,
  cacheTtlMs: 5 * 60_000,
  takesImages: true,
  // thinking is sent back inside the running tool loop only, and we never drop it there
  requiresReasoningBack: false,
} as const;

const BEFORE_4_6 = { ...CLAUDE, outputLimitTokens: 64_000, tokenRatio: 1.1 } as const;
const FROM_4_6 = { ...CLAUDE, outputLimitTokens: 128_000, extendedContextWindow: 1_000_000, tokenRatio: 1.1 } as const;
const FROM_4_7 = { ...FROM_4_6, tokenRatio: 1.6 } as const;

const { opus, sonnet, haiku } = CONDENSE_DEFAULTS;

// filling the five-minute cache costs 1.25 times the input price on every Claude model
function usd(input: number, output: number, cacheRead: number): MeteredPrices {
  return { type: "metered", input, output, cacheRead, cacheWrite: input * 1.25 };
}

const HAIKU_5_5: MeteredPrices = {
  ...usd(0.1, 0.5, 0.01),
  longPrompts: [{ aboveTokens: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 }],
};

/** Anthropic's models. A class without a version, or with an unknown one, means its newest model. */
export const CLAUDE_MODELS: readonly ModelEntry[] = [
  // the class above Opus has no condensing defaults of its own and uses those of Opus
  {
    id: "claude-fable-5-1",
    aliases: ["claude-mythos-5-1", "claude-fable", "claude-mythos"],
    ...FROM_4_7,
    pricesUsdPerMillion: usd(10, 50, 0.25),
    condense: opus,
  },
  {
    id: "claude-fable-5",
    aliases: ["claude-mythos-5"],
    ...FROM_4_7,
    pricesUsdPerMillion: usd(10, 50, 1),
    condense: opus,
  },

  {
    id: "claude-opus-5-5",
    aliases: ["claude-opus", "opus"],
    ...FROM_4_7,
    pricesUsdPerMillion: usd(4, 20, 0.2),
    condense: opus,
  },
  { id: "claude-opus-5", ...FROM_4_7, pricesUsdPerMillion: usd(5, 25, 0.5), condense: opus },
  { id: "claude-opus-4-8", ...FROM_4_7, pricesUsdPerMillion: usd(5, 25, 0.5), condense: opus },
  { id: "claude-opus-4-7", ...FROM_4_7, pricesUsdPerMillion: usd(5, 25, 0.5), condense: opus },
  { id: "claude-opus-4-6", ...FROM_4_6, pricesUsdPerMillion: usd(5, 25, 0.5), condense: opus },
  { id: "claude-opus-4-5", ...BEFORE_4_6, pricesUsdPerMillion: usd(5, 25, 0.5), condense: opus },
  {
    id: "claude-opus-4-1",
    aliases: ["claude-opus-4", "claude-opus-4-0"],
    ...BEFORE_4_6,
    outputLimitTokens: 32_000,
    pricesUsdPerMillion: usd(15, 75, 1.5),
    condense: opus,
  },
  {
    id: "claude-3-opus",
    ...BEFORE_4_6,
    outputLimitTokens: 4_096,
    pricesUsdPerMillion: usd(15, 75, 1.5),
    condense: opus,
  },

  {
    id: "claude-sonnet-5-5",
    aliases: ["claude-sonnet", "sonnet"],
    ...FROM_4_7,
    pricesUsdPerMillion: usd(2, 10, 0.1),
    condense: sonnet,
  },
  { id: "claude-sonnet-5", ...FROM_4_7, pricesUsdPerMillion: usd(2, 10, 0.2), condense: sonnet },
  { id: "claude-sonnet-4-6", ...FROM_4_6, pricesUsdPerMillion: usd(3, 15, 0.3), condense: sonnet },
  { id: "claude-sonnet-4-5", ...BEFORE_4_6, pricesUsdPerMillion: usd(3, 15, 0.3), condense: sonnet },
  {
    id: "claude-sonnet-4",
    aliases: ["claude-sonnet-4-0", "claude-3-7-sonnet"],
    ...BEFORE_4_6,
    pricesUsdPerMillion: usd(3, 15, 0.3),
    condense: sonnet,
  },
  {
    id: "claude-3-5-sonnet",
    aliases: ["claude-3-sonnet"],
    ...BEFORE_4_6,
    outputLimitTokens: 8_192,
    pricesUsdPerMillion: usd(3, 15, 0.3),
    condense: sonnet,
  },

  {
    id: "claude-haiku-5-5",
    aliases: ["claude-haiku", "haiku"],
    ...FROM_4_7,
    pricesUsdPerMillion: HAIKU_5_5,
    condense: haiku,
  },
  { id: "claude-haiku-4-5", ...BEFORE_4_6, pricesUsdPerMillion: usd(1, 5, 0.1), condense: haiku },
  {
    id: "claude-3-5-haiku",
    ...BEFORE_4_6,
    outputLimitTokens: 8_192,
    pricesUsdPerMillion: usd(0.8, 4, 0.08),
    condense: haiku,
  },
  {
    id: "claude-3-haiku",
    ...BEFORE_4_6,
    outputLimitTokens: 4_096,
    pricesUsdPerMillion: { type: "metered", input: 0.25, output: 1.25, cacheRead: 0.03, cacheWrite: 0.3 },
    condense: haiku,
  },

  { id: "claude", ...BEFORE_4_6, pricesUsdPerMillion: { type: "unknown" } },
];
