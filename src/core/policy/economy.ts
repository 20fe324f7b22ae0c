import { assert } from "../assert.ts";

/** How much of a conversation a fold leaves: a named amount, or a number of tokens. */
export type Economy = "careful" | "balanced" | "thrifty" | number;

const BUDGET_TOKENS = {
  careful: 32_000,
  balanced: 16_000,
  thrifty: 8_000,
} as const satisfies Record<Exclude<Economy, number>, number>;

/** Less than this holds hardly more than the newest turn. */
const LEAST_BUDGET_TOKENS = 1_000;

/** Whether a value is an economy. */
export function isEconomy(value: unknown): value is Economy {
  if (typeof value === "string") return Object.hasOwn(BUDGET_TOKENS, value);
  return typeof value === "number" && Number.isFinite(value) && value >= LEAST_BUDGET_TOKENS;
}

/** What completes the sentence "it must be …". */
export const ECONOMY_CHOICES = `"careful", "balanced", "thrifty" or a number of tokens of at least ${LEAST_BUDGET_TOKENS}`;

/**
 * The tokens that a fold leaves of a conversation.
 * @example
 * ```ts
 * import { economyTokens } from "palimpsest/core";
 * console.log(economyTokens("balanced"), economyTokens(12_000)); // 16000 12000
 * ```
 */
export function economyTokens(economy: Economy): number {
  assert(isEconomy(economy), "economy", economy, ECONOMY_CHOICES);
  return typeof economy === "number" ? economy : BUDGET_TOKENS[economy];
}
