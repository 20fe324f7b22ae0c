import {
  HYBRID_PROMPT,
  HYBRID_TEMPERATURE,
  hybridRequest,
  NEEDED_LIST_TOKENS,
} from "../../core/condense/hybrid/hybrid-prompt.ts";
import { planHybrid, writeHybrid } from "../../core/condense/hybrid/plan-hybrid.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import { type CondensationRun, finishCondensation, refuseCondensation } from "./condensation-run.ts";
import { runRequests } from "./run-requests.ts";
import { type BudgetOptions, DEFAULT_TARGET_SHARE, viewBudget } from "./view-budget.ts";

export interface HybridRun extends CondensationRun, BudgetOptions {
  /** See `CondensationOptions`. */
  readonly targetShare?: number | undefined;
}

/** Hides all but the newest messages behind a short summary that a model writes and a ledger, in the budget of a ledger. */
export async function condenseByHybrid(run: HybridRun): Promise<CondensationResult> {
  const { messages, taskId, keepMessages, countTokens, targetShare = DEFAULT_TARGET_SHARE } = run;
  const budgetTokens = viewBudget(messages, run, targetShare);
  const plan = planHybrid(messages, { budgetTokens, keepMessages, countTokens, taskId });
  if (plan.type === "refused") return refuseCondensation(messages, { error: plan.error });
  const reply = await runRequests(plan, {
    ...run,
    systemPrompt: run.prompt?.trim() || HYBRID_PROMPT,
    request: hybridRequest(plan),
    temperature: HYBRID_TEMPERATURE,
    maxOutputTokens: plan.summaryTokens + NEEDED_LIST_TOKENS,
  });
  if (reply.type === "failed") return refuseCondensation(messages, reply);
  const { summary, standIn } = writeHybrid(messages, plan, { reply: reply.text, countTokens });
  // The reported output tokens are not those of the stand-in, which may have less of the reply, and has the ledger.
  return finishCondensation(run, { plan, reply: { ...reply, text: summary, outputTokens: 0 }, standIns: [standIn] });
}
