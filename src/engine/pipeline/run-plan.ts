import { verifyFold } from "../../core/history/verify-fold.ts";
import { getEffectiveApiHistory, summaryId } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { ManagementPlan, Rung } from "../../core/policy/plan-management.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { clearToolResults, DEFAULT_KEEP_NEWEST } from "../../core/truncate/clear-tool-results.ts";
import { dedupeToolResults } from "../../core/truncate/dedupe-tool-results.ts";
import type { TruncationSelection } from "../../core/truncate/fit-options.ts";
import { type TruncationResult, truncateConversation } from "../../core/truncate/truncate-conversation.ts";
import { truncateToFit } from "../../core/truncate/truncate-to-fit.ts";
import type { PromptGauge } from "./prompt-gauge.ts";

/** All that a plan needs to be carried out. */
export interface PlanRun {
  readonly messages: readonly Message[];
  readonly taskId: string;
  /** The prompt as it is now; may be known better than the gauge can tell. */
  readonly promptTokens: number;
  readonly gauge: PromptGauge;
  /** The only effect: asks a strategy to condense, behind all gates. */
  readonly condense: (messages: readonly Message[], promptTokens: number) => Promise<CondensationResult>;
}

/** What came of a plan. */
export interface PlanOutcome {
  readonly messages: readonly Message[];
  readonly promptTokens: number;
  /** The folds that were made, in order. */
  readonly foldIds: readonly string[];
  readonly condensation?: CondensationResult;
  readonly truncation?: Truncation;
}

export interface Truncation {
  readonly truncationId?: string;
  readonly messagesRemoved: number;
}

/** Takes rung after rung until the target is reached. A rung whose result fails the checks is as if it had not been taken. */
export async function runPlan(plan: ManagementPlan, run: PlanRun): Promise<PlanOutcome> {
  let outcome: PlanOutcome = { messages: run.messages, promptTokens: run.promptTokens, foldIds: [] };
  if (plan.type === "fits") return outcome;
  for (const rung of plan.rungs) {
    const limitTokens = rung.type === "truncate" ? plan.allowedTokens : plan.targetTokens;
    if (outcome.promptTokens <= limitTokens) continue;
    const rungRun: RungRun = { ...run, allowedTokens: plan.allowedTokens };
    const step = await takeRung(rung, outcome, rungRun);
    if (step.messages === outcome.messages) {
      outcome = { ...outcome, ...step, foldIds: outcome.foldIds };
      continue;
    }
    const fault = verifyFold(outcome.messages, step.messages) ?? oversizedSummary(step, rungRun);
    if (fault !== undefined) {
      outcome = { ...outcome, ...refusedCondensation(step, outcome.messages, fault) };
      continue;
    }
    const promptTokens = run.gauge.measure(step.messages);
    outcome = { ...outcome, ...step, promptTokens, foldIds: [...outcome.foldIds, ...step.foldIds] };
  }
  return outcome;
}

/** A summary that is itself what makes the prompt too large is no help, however much it hides. */
function oversizedSummary({ messages, condensation }: Step, { gauge, allowedTokens }: RungRun): string | undefined {
  if (condensation?.condenseId === undefined || gauge.measure(messages) <= allowedTokens) return undefined;
  const isSummary = (message: Message) => summaryId(message) === condensation.condenseId;
  const rest = getEffectiveApiHistory(messages).filter((message) => !isSummary(message));
  return gauge.promptTokens(countMessagesTokens(rest, gauge.countTokens)) <= allowedTokens
    ? "The summary is too large: without it the context would fit."
    : undefined;
}

/** What is left of a step that was refused: its cost, and why. */
function refusedCondensation(
  { condensation }: Step,
  messages: readonly Message[],
  error: string,
): Partial<PlanOutcome> {
  if (condensation === undefined) return {};
  const { summary, cost, modelCalls = 1 } = condensation;
  return { condensation: { messages, summary, cost, modelCalls, error } };
}

type Step = Omit<PlanOutcome, "promptTokens">;

interface RungRun extends PlanRun {
  readonly allowedTokens: number;
}

async function takeRung(rung: Rung, { messages, promptTokens }: PlanOutcome, run: RungRun): Promise<Step> {
  const { taskId, gauge } = run;
  switch (rung.type) {
    case "dedupe":
    case "clear": {
      const fold = rung.type === "dedupe" ? dedupeToolResults : clearToolResults;
      // A pointer to a copy that the next rung clears would send the model to a stub.
      const options = { countTokens: gauge.countTokens, taskId, pointTo: DEFAULT_KEEP_NEWEST };
      const { messages: folded, foldId } = fold(messages, options);
      return foldId === undefined ? { messages, foldIds: [] } : { messages: folded, foldIds: [foldId] };
    }
    case "condense": {
      const condensation = await run.condense(messages, promptTokens);
      const { condenseId } = condensation;
      return { messages: condensation.messages, foldIds: condenseId === undefined ? [] : [condenseId], condensation };
    }
    case "truncate":
      return truncate(messages, rung.selection, run);
  }
}

function truncate(messages: readonly Message[], selection: TruncationSelection, run: RungRun): Step {
  const { taskId, gauge, allowedTokens } = run;
  // A fraction is taken even where our own count says that the view fits: whoever measured it knows better.
  const bite: TruncationResult =
    selection.type === "fraction"
      ? truncateConversation(messages, selection.fracToRemove ?? DEFAULT_FRACTION, taskId)
      : { messages, messagesRemoved: 0 };
  const fitted = truncateToFit(bite.messages, {
    allowedTokens: gauge.viewTokens(allowedTokens),
    countTokens: gauge.countTokens,
    selection,
    taskId,
  });
  const { truncationId } = bite;
  const foldIds = [...(truncationId === undefined ? [] : [truncationId]), ...fitted.foldIds];
  const marker = fitted.messages.find(
    (message) => message.isTruncationMarker === true && foldIds.includes(message.id ?? ""),
  );
  return {
    messages: fitted.messages,
    foldIds,
    truncation: {
      messagesRemoved: bite.messagesRemoved + fitted.messagesHidden,
      ...(marker?.truncationId === undefined ? {} : { truncationId: marker.truncationId }),
    },
  };
}

const DEFAULT_FRACTION = 0.5;
