import { demand, demandNumber, demandObject } from "../demand.ts";

/** The share of the window that stays free: counts are estimates until the provider reports its own. */
export const TOKEN_BUFFER_PERCENTAGE = 0.1;

/** Tokens kept for the reply where nobody says how long it may be. */
export const DEFAULT_RESERVED_TOKENS = 8_192;

export interface AllowedTokensOptions {
  readonly contextWindow: number;
  /** The reply's allowance. @default DEFAULT_RESERVED_TOKENS */
  readonly maxTokens?: number;
  /** The longest prompt, where the provider caps it below the window. */
  readonly inputLimitTokens?: number;
}

/**
 * The longest prompt that is surely accepted: `contextWindow * 0.9 - maxTokens`. Not rounded (compare, do not print), and
 * negative where the reply alone leaves no room.
 */
export function allowedTokens(options: AllowedTokensOptions): number {
  demandObject("options", options);
  const { contextWindow, maxTokens = DEFAULT_RESERVED_TOKENS, inputLimitTokens = contextWindow } = options;
  demand(isFinitePositive(contextWindow), "contextWindow", contextWindow, "a number above 0");
  demandNumber("maxTokens", maxTokens, 0);
  demand(isFinitePositive(inputLimitTokens), "inputLimitTokens", inputLimitTokens, "a number above 0");
  const share = 1 - TOKEN_BUFFER_PERCENTAGE;
  return Math.min(contextWindow * share - maxTokens, inputLimitTokens * share);
}

function isFinitePositive(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}
