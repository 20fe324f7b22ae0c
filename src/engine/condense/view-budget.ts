import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { CondensationOptions } from "../../core/ports/condensation.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";

/** The size of the conversation after it was condensed, as a share of what is allowed beside system prompt and tools. */
export const DEFAULT_TARGET_SHARE = 0.5;
/** The most that stays of the view, however large the window: a smaller gain would be refused, or not be worth the broken cache. */
const MAX_VIEW_SHARE = 0.6;
/** Ratios are rounded to this fraction, which is finer than the steps in which sessions learn them: a learned ratio lies in the middle of a step. */
const RATIO_STEPS = 40;

export type BudgetOptions = Pick<
  CondensationOptions,
  "prevContextTokens" | "overheadTokens" | "allowedTokens" | "countTokens"
>;

/**
 * The size that the view may have, in tokens of `countTokens`: its share of what is allowed beside system prompt and tools. The provider's measure of
 * the present prompt gives the ratio between its tokens and ours.
 */
export function viewBudget(
  messages: readonly Message[],
  { prevContextTokens, overheadTokens, allowedTokens, countTokens }: BudgetOptions,
  targetShare: number,
): number {
  const viewTokens = countMessagesTokens(effectiveView(messages), countTokens);
  const measured = Math.max(0, prevContextTokens - overheadTokens) / Math.max(1, viewTokens);
  // Rounded, as a prompt that was measured part by part may be a token off, and two gateways must write the same ledger.
  const ratio = Math.round(measured * RATIO_STEPS) / RATIO_STEPS;
  const room = targetShare * (allowedTokens - overheadTokens);
  return Math.floor(Math.min(room / (ratio > 0 ? ratio : 1), MAX_VIEW_SHARE * viewTokens));
}
