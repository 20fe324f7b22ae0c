import { assert, assertNumber, assertObject } from "../assert.ts";
import type { ModelEntry, TokenPrices } from "../models/model-entry.ts";

/** What tokens cost in a cached conversation, each relative to a token of plain input. */
export interface RelativePrices {
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** The prices of a conversation as it is, and once it is folded: a long prompt may be billed at other prices than the short one that a fold leaves. */
export interface RentPrices {
  readonly now: RelativePrices;
  readonly folded: RelativePrices;
}

/** A conversation before its next call. System prompt, tools and what binds the agent are not part of it: they stay where they are, cached. */
export interface RentedConversation {
  readonly tokens: number;
  /** Its last reply and what the model has not answered yet: no fold hides these. */
  readonly newestTurnTokens: number;
  /** How many tokens a fold should leave, whatever the window is. */
  readonly budgetTokens: number;
  /** How many tokens a call adds on average. */
  readonly growthTokens: number;
  /** How many tokens the agent reads again after a fold. */
  readonly rereadTokens: number;
  /** Whether the provider's cache of the prompt has expired: then the next call writes the whole prompt to it, folded or not. */
  readonly isCold: boolean;
  /** The least that a fold must hide: one that hides less is refused. @default 0 */
  readonly leastGainTokens?: number;
  /** The call that a model needs to condense; undefined for condensing without a model. */
  readonly condensedBy?: CondensingCall | undefined;
}

/** The tokens that a condensing model reads and writes. */
export interface CondensingCall {
  readonly promptTokens: number;
  readonly summaryTokens: number;
}

/** Whether a fold pays, and the numbers that say so. Costs are in tokens of plain input. */
export interface RentDecision {
  /** `pays`: carrying the old tokens costs more than folding them. `cold`: the cache expired, and writing them to it again would cost more. `waits`: neither. */
  readonly reason: "pays" | "cold" | "waits";
  /** How many tokens the fold leaves of the conversation, and how many it hides. */
  readonly leftTokens: number;
  readonly gainTokens: number;
  /** What a fold costs. */
  readonly foldCost: number;
  /** The gain from which on a fold pays. */
  readonly neededGainTokens: number;
}

/** Folding a little early costs less than folding a little late: the next call adds to what is carried. */
const EARLY = 0.8;
/**
 * The newest turn stays as it is; beside it there is room for at least this share of the budget. With less, a long reply or result leaves hardly
 * a line of the rest, and the calls until the next fold have to do without.
 */
const LEAST_BUDGET_SHARE = 0.5;

/**
 * Decides by prices whether to fold before the next call. Carrying old tokens costs their cache reads, call after call; a fold costs the
 * writing of what it leaves and of what the agent reads again. At steady growth both are balanced where the gain is √(2·cost·growth / read),
 * as for the size of an order in a store.
 * @example
 * ```ts
 * import { decideRent } from "palimpsest/core";
 * const claude = { cacheRead: 0.1, cacheWrite: 1.25, output: 5 };
 * const conversation = { newestTurnTokens: 2_000, budgetTokens: 16_000, growthTokens: 1_500, rereadTokens: 1_000, isCold: false };
 * const decide = (tokens: number) => decideRent({ ...conversation, tokens }, { now: claude, folded: claude }).reason;
 * console.log(decide(30_000), decide(40_000)); // waits pays
 * ```
 */
export function decideRent(conversation: RentedConversation, { now, folded }: RentPrices): RentDecision {
  assertConversation(conversation);
  const { tokens, growthTokens, rereadTokens, isCold, leastGainTokens = 0, condensedBy } = conversation;
  const leftTokens = tokensLeft(conversation);
  const gainTokens = tokens - leftTokens;
  const { cacheRead, cacheWrite } = folded;
  const rereadCost = (cacheWrite + cacheRead) * rereadTokens;
  const summaryCost =
    condensedBy === undefined ? 0 : now.cacheRead * condensedBy.promptTokens + now.output * condensedBy.summaryTokens;
  const foldCost = Math.max(0, cacheWrite - cacheRead) * leftTokens + rereadCost + summaryCost;
  // Where cache reads are free, carrying old tokens costs nothing: only the hard limit makes a fold necessary.
  const balance = now.cacheRead > 0 ? EARLY * Math.sqrt((2 * foldCost * growthTokens) / now.cacheRead) : Infinity;
  const neededGainTokens = Math.max(balance, leastGainTokens);
  const isEnough = gainTokens > 0 && gainTokens >= leastGainTokens;
  const isColdGain = isCold && cacheWrite * gainTokens >= rereadCost + summaryCost;
  const reason = isEnough && gainTokens >= neededGainTokens ? "pays" : isEnough && isColdGain ? "cold" : "waits";
  return { reason, leftTokens, gainTokens, foldCost, neededGainTokens };
}

/** How many tokens a fold leaves of a conversation. */
export function tokensLeft(conversation: Pick<RentedConversation, "budgetTokens" | "newestTurnTokens">): number {
  const { budgetTokens, newestTurnTokens } = conversation;
  return Math.max(budgetTokens, newestTurnTokens + LEAST_BUDGET_SHARE * budgetTokens);
}

function assertConversation(conversation: RentedConversation): void {
  assertObject("conversation", conversation);
  const {
    tokens,
    newestTurnTokens,
    budgetTokens,
    growthTokens,
    rereadTokens,
    isCold,
    leastGainTokens = 0,
  } = conversation;
  const sizes = { tokens, newestTurnTokens, budgetTokens, growthTokens, rereadTokens, leastGainTokens };
  for (const [name, value] of Object.entries(sizes)) assertNumber(`conversation.${name}`, value, 0);
  assert(typeof isCold === "boolean", "conversation.isCold", isCold, "true or false");
}

/** Gives a model's prices for prompts of any size. */
export type PricesAt = (promptTokens: number) => RelativePrices;

/**
 * A model's prices for `decideRent`, in units of its input price for short prompts; undefined where they are not known, or nobody is paid.
 */
export function relativePrices({ pricesUsdPerMillion: prices }: ModelEntry): PricesAt | undefined {
  if (prices.type !== "metered" || prices.input <= 0) return undefined;
  const { longPrompts = [] } = prices;
  const usual = relativeTo(prices.input, prices);
  const long = longPrompts.map((tier) => ({ aboveTokens: tier.aboveTokens, prices: relativeTo(prices.input, tier) }));
  return (promptTokens) => long.findLast(({ aboveTokens }) => promptTokens > aboveTokens)?.prices ?? usual;
}

function relativeTo(
  unit: number,
  { input, output, cacheRead = input, cacheWrite = input }: TokenPrices,
): RelativePrices {
  return { cacheRead: cacheRead / unit, cacheWrite: cacheWrite / unit, output: output / unit };
}
