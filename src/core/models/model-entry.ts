import type { CondenseDefaults } from "./condense-defaults.ts";

/** What we know about one model, or about a family where no version is known. All sizes are in tokens. */
export interface ModelEntry {
  /** The name that ids are matched by (see {@link createModelRegistry}), such as `claude-sonnet-4-5`. */
  readonly id: string;
  /** Other names of the same model. */
  readonly aliases?: readonly string[];
  /** Prompt and reply together. */
  readonly contextWindow: number;
  /** The window of ids that ask for the larger one with a `[1m]` suffix. */
  readonly extendedContextWindow?: number;
  /** The longest prompt, where the provider caps it below the window. */
  readonly inputLimitTokens?: number;
  /** The longest reply. May exceed `contextWindow`: some providers count the two apart. */
  readonly outputLimitTokens: number;
  readonly pricesUsdPerMillion: ModelPrices;
  /** How long an unused prompt cache lives; 0 where there is none. */
  readonly cacheTtlMs: number;
  readonly takesImages: boolean;
  /** The provider refuses an assistant turn with tool calls that comes back without its reasoning. */
  readonly requiresReasoningBack: boolean;
  /** Tokens that this model's tokenizer makes of one o200k token: where calibration starts. @default 1 */
  readonly tokenRatio?: number;
  /** @default CONDENSE_DEFAULTS.other */
  readonly condense?: CondenseDefaults;
}

/** What tokens cost, in USD per million. */
export type ModelPrices =
  | MeteredPrices
  /** Open weights: whoever hosts the model sets the price. */
  | { readonly type: "self-hosted" }
  /** Nobody told us. */
  | { readonly type: "unknown" };

export interface MeteredPrices extends TokenPrices {
  readonly type: "metered";
  /** Dearer rates for long prompts, shortest first; they apply to the whole request. */
  readonly longPrompts?: readonly LongPromptPrices[];
}

export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** @default input: no discount for cached tokens */
  readonly cacheRead?: number;
  /** @default input: no surcharge for filling the cache */
  readonly cacheWrite?: number;
}

export interface LongPromptPrices extends TokenPrices {
  /** Prompts of more tokens than this, cached ones included, pay these rates. */
  readonly aboveTokens: number;
}

/** Prices in USD per million tokens, where filling the cache costs what input costs. */
export function usd(input: number, output: number, cacheRead: number): MeteredPrices {
  return { type: "metered", input, output, cacheRead };
}
