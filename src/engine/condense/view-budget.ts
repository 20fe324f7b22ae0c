import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { CondensationOptions } from "../../core/ports/condensation.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";

/** What the conversation should take after it was condensed, as a share of what is allowed beside system prompt and tools. */
export const DEFAULT_TARGET_SHARE = 0.5;
/** However large the window, condensing that gains less than this would be refused, or was not worth the broken cache. */
const MAX_VIEW_SHARE = 0.6;
/** Finer than what sessions learn about a model's tokens, so that what they learned lies in the middle of a step. */
const RATIO_STEPS = 40;

export type BudgetOptions = Pick<
  CondensationOptions,
  "prevContextTokens" | "overheadTokens" | "allowedTokens" | "countTokens"
>;

/**
 * What the view may take, in tokens of `countTokens`: its share of what is allowed beside system prompt and tools. The prompt as it is was
 * measured by the provider, so the same correction applies to what is left of it.
 */
export function viewBudget(
  messages: readonly Message[],
  { prevContextTokens, overheadTokens, allowedTokens, countTokens }: BudgetOptions,
  targetShare: number,
): number {
  const viewTokens = countMessagesTokens(effectiveView(messages), countTokens);
  const measured = Math.max(0, prevContextTokens - overheadTokens) / Math.max(1, viewTokens);
  // A prompt that was measured part by part may be a token off: two gateways must still write the same ledger.
  const ratio = Math.round(measured * RATIO_STEPS) / RATIO_STEPS;
  const room = targetShare * (allowedTokens - overheadTokens);
  return Math.floor(Math.min(room / (ratio > 0 ? ratio : 1), MAX_VIEW_SHARE * viewTokens));
}
