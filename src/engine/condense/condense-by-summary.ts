import { applyCondensation } from "../../core/condense/condensation-plan.ts";
import { planSummary } from "../../core/condense/summary/plan-summary.ts";
import { summaryMessage } from "../../core/condense/summary/summary-message.ts";
import {
  SUMMARY_MAX_OUTPUT_TOKENS,
  SUMMARY_PROMPT,
  SUMMARY_REQUEST,
  SUMMARY_TEMPERATURE,
} from "../../core/condense/summary/summary-prompt.ts";
import { getEffectiveApiHistory } from "../../core/message/effective-view.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
import { runRequests } from "./run-requests.ts";

/** One condensation by a model, whatever asked for it. */
export interface CondensationRun {
  readonly messages: readonly Message[];
  readonly handler: ModelHandler;
  readonly taskId: string;
  /** Replaces the default prompt. */
  readonly prompt?: string | undefined;
  readonly keepMessages: number;
  readonly prevContextTokens: number;
  readonly countTokens: CountTokens;
  /** The size of a prompt with these messages in it, system prompt and tools included. */
  readonly measurePrompt: (view: readonly Message[]) => number | Promise<number>;
  readonly maxModelCalls: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Hides all but the first and the newest messages behind a summary that a model writes. */
export async function condenseBySummary(run: CondensationRun): Promise<CondensationResult> {
  const { messages, taskId, keepMessages, countTokens, prevContextTokens } = run;
  const refuse = (error: string, cost = 0): CondensationResult => ({ messages, summary: "", cost, error });
  const plan = planSummary(messages, { taskId, keepMessages, countTokens });
  if (plan.type === "refused") return { ...refuse(plan.error), modelCalls: 0 };
  const reply = await runRequests(plan, {
    ...run,
    systemPrompt: run.prompt?.trim() || SUMMARY_PROMPT,
    request: SUMMARY_REQUEST,
    temperature: SUMMARY_TEMPERATURE,
    maxOutputTokens: SUMMARY_MAX_OUTPUT_TOKENS,
  });
  const { costUsd: cost, modelCalls } = reply;
  if (reply.type === "failed") return { ...refuse(`Condensing failed: ${reply.error}`, cost), modelCalls };
  const standIn = summaryMessage(plan, reply.text);
  const condensed = applyCondensation(messages, plan, [standIn]);
  const rest = getEffectiveApiHistory(condensed).filter((message) => message !== standIn);
  // That a provider wrote more than we count is believed, that it wrote less is not.
  const summaryTokens = Math.max(reply.outputTokens, countTokens(standIn.content));
  const newContextTokens = (await run.measurePrompt(rest)) + summaryTokens;
  if (newContextTokens >= prevContextTokens) {
    const grew = `The context grew: ${newContextTokens} tokens with the summary, ${prevContextTokens} without it.`;
    return { ...refuse(grew, cost), modelCalls };
  }
  return { messages: condensed, summary: reply.text, cost, newContextTokens, condenseId: plan.condenseId, modelCalls };
}
