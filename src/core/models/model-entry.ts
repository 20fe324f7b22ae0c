import type { CondenseDefaults } from "./condense-defaults.ts";

/** The registry's data on one model, or on a family for versions that it does not know. All sizes are in tokens. */
export interface ModelEntry {
  /** The name with which model ids are matched (see {@link createModelRegistry}), such as `claude-sonnet-4-5`. */
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
  /** Whether the provider refuses an assistant turn with tool calls that is sent back without its reasoning. */
  readonly requiresReasoningBack: boolean;
  /** Tokens of this model's tokenizer for one o200k token: the first value of the calibration. @default 1 */
  readonly tokenRatio?: number;
  /** @default CONDENSE_DEFAULTS.other */
  readonly condense?: CondenseDefaults;
}

/** The prices of tokens, in USD per million. */
export type ModelPrices =
  | MeteredPrices
  /** Open weights: the host of the model sets the price. */
  | { readonly type: "self-hosted" }
  /** The registry has no prices for the model. */
  | { readonly type: "unknown" };

export interface MeteredPrices extends TokenPrices {
  readonly type: "metered";
  /** Higher rates for long prompts, in ascending order of `aboveTokens`; they apply to the whole request. */
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

/** Prices in USD per million tokens of a model for which writing to the cache costs as much as input. */
export function usd(input: number, output: number, cacheRead: number): MeteredPrices {
  return { type: "metered", input, output, cacheRead };
}
