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

/** One condensation by a model, whatever asked for it. */
export interface CondensationRun {
  readonly messages: readonly Message[];
  readonly handler: ModelHandler;
  readonly taskId: string;
  /** Replaces the default prompt. */
  readonly prompt?: string | undefined;
  readonly keepMessages: number;
  /** See `PlanSnapshotOptions`. */
  readonly beginsWith?: "standing" | "snapshot" | undefined;
  /** Whether the newest messages in which something was decided stay visible too. @default true */
  readonly keepsDecisions?: boolean | undefined;
  /** See `PlanSnapshotOptions`. */
  readonly leastMessages?: number | undefined;
  /** Whether a snapshot is checked by a second request for what it left out. @default false */
  readonly verify?: boolean | undefined;
  readonly prevContextTokens: number;
  readonly countTokens: CountTokens;
  /** The size of a prompt with these messages in it, system prompt and tools included. */
  readonly measurePrompt: (view: readonly Message[]) => number | Promise<number>;
  readonly maxModelCalls: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Why a condensation of a log that others rewrote meanwhile is refused. */
export const CONDENSED_TOO_LATE = "The conversation was rewritten while it was condensed; the result is discarded.";

/** Nothing is applied, but what it cost is told. */
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

/** Puts the stand-ins in place, unless the context grows with them. */
export async function finishCondensation(
  { messages, prevContextTokens, countTokens, measurePrompt }: CondensationRun,
  { plan, reply, standIns }: FinishedCondensation,
): Promise<CondensationResult> {
  const { costUsd, modelCalls } = reply;
  const condensed = applyCondensation(messages, plan, standIns);
  const rest = effectiveView(condensed).filter((message) => !standIns.includes(message));
  // That a provider wrote more than we count is believed, that it wrote less is not.
  const standInTokens = Math.max(reply.outputTokens, countMessagesTokens(standIns, countTokens));
  const newContextTokens = (await measurePrompt(rest)) + standInTokens;
  if (newContextTokens >= prevContextTokens) {
    const error = `The context grew: ${newContextTokens} tokens with the summary, ${prevContextTokens} without it.`;
    return refuseCondensation(messages, { error, costUsd, modelCalls });
  }
  const { condenseId } = plan;
  return { messages: condensed, summary: reply.text, cost: costUsd, newContextTokens, condenseId, modelCalls };
}
