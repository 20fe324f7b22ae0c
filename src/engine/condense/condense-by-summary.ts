import { planSummary } from "../../core/condense/summary/plan-summary.ts";
import { summaryMessage } from "../../core/condense/summary/summary-message.ts";
import {
  SUMMARY_MAX_OUTPUT_TOKENS,
  SUMMARY_PROMPT,
  SUMMARY_REQUEST,
  SUMMARY_TEMPERATURE,
} from "../../core/condense/summary/summary-prompt.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import { type CondensationRun, finishCondensation, refuseCondensation } from "./condensation-run.ts";
import { runRequests } from "./run-requests.ts";

/** Hides all but the first and the newest messages behind a summary that a model writes. */
export async function condenseBySummary(run: CondensationRun): Promise<CondensationResult> {
  const { messages, taskId, keepMessages, countTokens, keepsDecisions } = run;
  const plan = planSummary(messages, { taskId, keepMessages, countTokens, keepsDecisions });
  if (plan.type === "refused") return refuseCondensation(messages, { error: plan.error });
  const reply = await runRequests(plan, {
    ...run,
    systemPrompt: run.prompt?.trim() || SUMMARY_PROMPT,
    request: SUMMARY_REQUEST,
    temperature: SUMMARY_TEMPERATURE,
    maxOutputTokens: SUMMARY_MAX_OUTPUT_TOKENS,
  });
  if (reply.type === "failed") return refuseCondensation(messages, reply);
  return finishCondensation(run, { plan, reply, standIns: [summaryMessage(plan, reply.text)] });
}
