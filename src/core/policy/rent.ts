import { assertNumber, assertObject } from "../assert.ts";
import type { ModelEntry } from "../models/model-entry.ts";

/** What tokens cost in a cached conversation, each relative to a token of plain input. */
export interface RelativePrices {
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** One turn, and what folding before it would leave. */
export interface RentTurn {
  /** The prompt as it is. */
  readonly promptTokens: number;
  /** The prompt that would remain after folding. */
  readonly foldedTokens: number;
  /** What a model would write to fold it; 0 where no model is asked. */
  readonly summaryTokens: number;
  /** What the agent will probably read again because it was folded. @default 0 */
  readonly rereadTokens?: number;
}

export interface RentDecision {
  /** What carrying foldable tokens has cost since the last fold, in tokens of plain input. */
  readonly rentTokens: number;
  /** What folding now would cost, in the same unit. */
  readonly foldTokens: number;
  readonly isDue: boolean;
}

/**
 * Folds when carrying the old tokens has cost as much as folding them would: like renting skis until the rent has reached their
 * price, this never costs more than twice what knowing the future would.
 */
export function decideRent(rentTokens: number, turn: RentTurn, prices: RelativePrices): RentDecision {
  assertNumber("rentTokens", rentTokens, 0);
  assertObject("turn", turn);
  assertObject("prices", prices);
  const { promptTokens, foldedTokens, summaryTokens, rereadTokens = 0 } = turn;
  const { cacheRead, cacheWrite, output } = prices;
  const rewrite = Math.max(0, cacheWrite - cacheRead) * foldedTokens;
  const foldCost = rewrite + output * summaryTokens + cacheWrite * rereadTokens;
  const rent = rentTokens + cacheRead * Math.max(0, promptTokens - foldedTokens);
  return { rentTokens: rent, foldTokens: foldCost, isDue: promptTokens > foldedTokens && rent >= foldCost };
}

/** A model's prices for `decideRent`; undefined where they are not known, or nobody is paid. */
export function relativePrices({ pricesUsdPerMillion: prices }: ModelEntry): RelativePrices | undefined {
  if (prices.type !== "metered" || prices.input <= 0) return undefined;
  const { input, output, cacheRead = input, cacheWrite = input } = prices;
  return { cacheRead: cacheRead / input, cacheWrite: cacheWrite / input, output: output / input };
}
