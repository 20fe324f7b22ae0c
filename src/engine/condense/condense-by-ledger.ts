import type { CondensationRefusal } from "../../core/condense/condensation-plan.ts";
import { applyLedger, type LedgerPlan, planLedger } from "../../core/condense/ledger/plan-ledger.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { CondensationOptions, CondensationResult } from "../../core/ports/condensation.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { refuseCondensation } from "./condensation-run.ts";
import { type BudgetOptions, DEFAULT_TARGET_SHARE, viewBudget } from "./view-budget.ts";

export { judgeLedgerAhead } from "../../core/condense/ledger/plan-ledger.ts";

/** The shares of a ledger condenser, as in `LedgerCondenserOptions`. */
export interface LedgerShares {
  /** @default 0.5 */
  readonly targetShare?: number | undefined;
  /** @default 0.1 */
  readonly tailShare?: number | undefined;
}

/** The options of a condensation that a ledger depends on. */
export type LedgerTask = BudgetOptions & Pick<CondensationOptions, "taskId" | "keepMessages" | "targetShare">;

export function condenseByLedger(
  messages: readonly Message[],
  options: CondensationOptions,
  shares: LedgerShares,
): CondensationResult {
  return applyLedgerPlan(messages, planLedgerFor(messages, options, shares), options);
}

/** Plans what a ledger hides and says: the costly part of condensing. The plan depends on the arguments alone. */
export function planLedgerFor(
  messages: readonly Message[],
  task: LedgerTask,
  { targetShare = DEFAULT_TARGET_SHARE, tailShare }: LedgerShares = {},
): LedgerPlan | CondensationRefusal {
  const { taskId, countTokens, keepMessages } = task;
  const budgetTokens = viewBudget(messages, task, task.targetShare ?? targetShare);
  return planLedger(messages, { budgetTokens, tailShare, keepMessages, countTokens, taskId, judges: "past" });
}

/** Applies a plan that was made of these messages. */
export function applyLedgerPlan(
  messages: readonly Message[],
  plan: LedgerPlan | CondensationRefusal,
  { countTokens, overheadTokens }: Pick<CondensationOptions, "countTokens" | "overheadTokens">,
): CondensationResult {
  if (plan.type === "refused") return refuseCondensation(messages, { error: plan.error });
  const condensed = Object.freeze(applyLedger(messages, plan));
  const newTokens = countMessagesTokens(effectiveView(condensed), countTokens);
  return {
    messages: condensed,
    summary: plan.ledger.text,
    cost: 0,
    modelCalls: 0,
    condenseId: plan.condenseId,
    newContextTokens: overheadTokens + newTokens,
  };
}
