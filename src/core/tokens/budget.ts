import { PalimpsestError } from "../errors.ts";

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
  const { contextWindow, maxTokens = DEFAULT_RESERVED_TOKENS, inputLimitTokens = contextWindow } = options;
  check("contextWindow", contextWindow, contextWindow > 0, "a number above 0");
  check("maxTokens", maxTokens, maxTokens >= 0, "a number of at least 0");
  check("inputLimitTokens", inputLimitTokens, inputLimitTokens > 0, "a number above 0");
  const share = 1 - TOKEN_BUFFER_PERCENTAGE;
  return Math.min(contextWindow * share - maxTokens, inputLimitTokens * share);
}

function check(field: string, value: number, isInRange: boolean, allowed: string): void {
  if (Number.isFinite(value) && isInRange) return;
  throw new PalimpsestError("invalid-argument", `${field} is ${value}, but must be ${allowed}.`);
}
