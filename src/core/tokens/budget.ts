import { assert, assertNumber, assertObject } from "../assert.ts";

/**
 * The share of the window that stays free: counts are estimates until the provider reports its own.
 * @example
 * ```ts
 * import { allowedTokens, TOKEN_BUFFER_PERCENTAGE } from "palimpsest/core";
 * console.log(allowedTokens({ contextWindow: 100_000, maxTokens: 0 }) === 100_000 * (1 - TOKEN_BUFFER_PERCENTAGE)); // true
 * ```
 */
export const TOKEN_BUFFER_PERCENTAGE = 0.1;

/**
 * Tokens reserved for the reply when the caller does not say how long it may be.
 * @example
 * ```ts
 * import { allowedTokens, DEFAULT_RESERVED_TOKENS } from "palimpsest/core";
 * console.log(allowedTokens({ contextWindow: 200_000 }) === 180_000 - DEFAULT_RESERVED_TOKENS); // true
 * ```
 */
export const DEFAULT_RESERVED_TOKENS = 8_192;

/** The largest share of the room (the window without system prompt and tools) that is reserved for the reply. */
export const MAX_REPLY_SHARE = 0.5;

/** The shares of the room that `reserve: "least"` keeps free. */
const LEAST_BUFFER_SHARE = 0.05;
const LEAST_REPLY_SHARE = 0.1;

export interface AllowedTokensOptions {
  readonly contextWindow: number;
  /** The reply's allowance. @default DEFAULT_RESERVED_TOKENS */
  readonly maxTokens?: number;
  /** The longest prompt, where the provider caps it below the window. */
  readonly inputLimitTokens?: number;
  /**
   * Tokens of system prompt and tools. Where it is given, buffer and reply are taken from the rest of the window (the room) alone, and the
   * reply gets at most half of it. @default buffer and reply are taken from the whole window
   */
  readonly overheadTokens?: number;
  /** `least` keeps only 5 % and a tenth for the reply, for a conversation that fits in no other way. @default "usual" */
  readonly reserve?: Reserve;
}

export type Reserve = "usual" | "least";

/**
 * The longest prompt that is surely accepted: `contextWindow * 0.9 - maxTokens` or, with `overheadTokens`, the overhead plus such a part of
 * the room. Not rounded (compare, do not print), and negative where the reply alone leaves no room.
 * @example
 * ```ts
 * import { allowedTokens } from "palimpsest/core";
 * console.log(allowedTokens({ contextWindow: 200_000, maxTokens: 8_000 })); // 172000
 * ```
 */
export function allowedTokens(options: AllowedTokensOptions): number {
  assertObject("options", options);
  const { contextWindow, maxTokens = DEFAULT_RESERVED_TOKENS, inputLimitTokens = contextWindow } = options;
  assert(isFinitePositive(contextWindow), "contextWindow", contextWindow, "a number above 0");
  assertNumber("maxTokens", maxTokens, 0);
  assert(isFinitePositive(inputLimitTokens), "inputLimitTokens", inputLimitTokens, "a number above 0");
  const { overheadTokens, reserve = "usual" } = options;
  if (overheadTokens === undefined) {
    const share = 1 - TOKEN_BUFFER_PERCENTAGE;
    return Math.min(contextWindow * share - maxTokens, inputLimitTokens * share);
  }
  assertNumber("overheadTokens", overheadTokens, 0);
  const { bufferShare, replyShare } = RESERVES[reserve];
  const free = Math.max(0, contextWindow - overheadTokens);
  const freeInput = Math.max(0, inputLimitTokens - overheadTokens);
  const conversation = free * (1 - bufferShare) - Math.min(maxTokens, replyShare * free);
  return overheadTokens + Math.min(conversation, freeInput * (1 - bufferShare));
}

const RESERVES = {
  usual: { bufferShare: TOKEN_BUFFER_PERCENTAGE, replyShare: MAX_REPLY_SHARE },
  least: { bufferShare: LEAST_BUFFER_SHARE, replyShare: LEAST_REPLY_SHARE },
} as const satisfies Record<Reserve, { readonly bufferShare: number; readonly replyShare: number }>;

function isFinitePositive(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}
