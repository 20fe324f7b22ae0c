import { applyCondensation, type CondensationPlan } from "../../core/condense/condensation-plan.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { CondensingReply } from "./run-requests.ts";

/** How often one condensation may ask its model, and how long it waits for each reply. */
export const DEFAULT_MAX_MODEL_CALLS = 4;
export const DEFAULT_TIMEOUT_MS = 120_000;

/** One condensation by a model. */
export interface CondensationRun {
  readonly messages: readonly Message[];
  readonly handler: ModelHandler;
  readonly taskId: string;
  /** Replaces the default prompt. */
  readonly prompt?: string | undefined;
  readonly keepMessages: number;
  /** See `PlanSnapshotOptions`. */
  readonly beginsWith?: "standing" | "snapshot" | undefined;
  /** Whether the newest messages that state a decision stay visible, too. @default true */
  readonly keepsDecisions?: boolean | undefined;
  /** See `PlanSnapshotOptions`. */
  readonly leastMessages?: number | undefined;
  /** Whether a second request asks what the snapshot left out. @default false */
  readonly verify?: boolean | undefined;
  readonly prevContextTokens: number;
  readonly countTokens: CountTokens;
  /** Measures a prompt with this view, system prompt and tools included. */
  readonly measurePrompt: (view: readonly Message[]) => number | Promise<number>;
  readonly maxModelCalls: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The error of a condensation whose log another process rewrote meanwhile. */
export const CONDENSED_TOO_LATE = "The conversation was rewritten while it was condensed; the result is discarded.";

/** The result of a condensation that failed: the log as it was, with the error and the cost. */
export function refuseCondensation(
  messages: readonly Message[],
  {
    error,
    costUsd = 0,
    modelCalls = 0,
  }: { readonly error: string; readonly costUsd?: number; readonly modelCalls?: number },
): CondensationResult {
  return { messages, summary: "", cost: costUsd, error, modelCalls };
}

export interface FinishedCondensation {
  readonly plan: CondensationPlan;
  readonly reply: Extract<CondensingReply, { readonly type: "reply" }>;
  readonly standIns: readonly Message[];
}

/** Hides the plan's messages behind the stand-ins. The result has an error where the context grows with them. */
export async function finishCondensation(
  { messages, prevContextTokens, countTokens, measurePrompt }: CondensationRun,
  { plan, reply, standIns }: FinishedCondensation,
): Promise<CondensationResult> {
  const { costUsd, modelCalls } = reply;
  const condensed = applyCondensation(messages, plan, standIns);
  const rest = effectiveView(condensed).filter((message) => !standIns.includes(message));
  // The larger of the provider's count and ours.
  const standInTokens = Math.max(reply.outputTokens, countMessagesTokens(standIns, countTokens));
  const newContextTokens = (await measurePrompt(rest)) + standInTokens;
  if (newContextTokens >= prevContextTokens) {
    const error = `The context grew: ${newContextTokens} tokens with the summary, ${prevContextTokens} without it.`;
    return refuseCondensation(messages, { error, costUsd, modelCalls });
  }
  const { condenseId } = plan;
  return { messages: condensed, summary: reply.text, cost: costUsd, newContextTokens, condenseId, modelCalls };
}
