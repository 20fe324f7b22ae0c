import { verifyFold } from "../../core/history/verify-fold.ts";
import { collectStandIns, effectiveView, isHidden, isStandIn, summaryId } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { ManagementPlan, Rung } from "../../core/policy/plan-management.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { Pause } from "../../core/ports/pacer.ts";
import { readStandingAhead } from "../../core/standing/find-standing.ts";
import { surfaceStanding } from "../../core/standing/surface.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { type ClearRules, clearToolResults, DEFAULT_KEEP_NEWEST } from "../../core/truncate/clear-tool-results.ts";
import { capStanding, isWithinShare } from "../../core/truncate/clip-standing.ts";
import { dedupeToolResults } from "../../core/truncate/dedupe-tool-results.ts";
import { MARKER_TOKENS } from "../../core/truncate/hide-oldest.ts";
import { runPaced } from "../run-paced.ts";
import { type OffloadRun, writingFiles } from "./offload-run.ts";
import type { PromptGauge } from "./prompt-gauge.ts";
import { truncateRung } from "./truncate-rung.ts";

/** What a plan is carried out on, and with. */
export interface PlanRun {
  readonly messages: readonly Message[];
  readonly taskId: string;
  /** The size of the prompt now, which may be known more exactly than by the gauge. */
  readonly promptTokens: number;
  readonly gauge: PromptGauge;
  /** Measures the prompt with a log's view, more exactly than the gauge. @default gauge.measure */
  readonly measure?: (messages: readonly Message[]) => number | Promise<number>;
  /** Whether standing context that a fold hides is first shown again, and clipped to its share. @default false */
  readonly bindsStanding?: boolean;
  /** Writes large tool outputs that are cleared or clipped to files. @default no files */
  readonly offload?: OffloadRun | undefined;
  /** How old tool results are cleared. @default those of all tools, with stubs that name the call */
  readonly clear?: ClearRules;
  /** Called between the steps. @default all steps run without a pause */
  readonly pause?: Pause;
  /** Runs the condensers. The result has passed every check, or has an error. */
  readonly condense: (messages: readonly Message[], promptTokens: number) => Promise<CondensationResult>;
}

/** The outcome of a plan. */
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

/** Takes rung after rung until the target is reached. The result of a rung that fails the checks is dropped. */
export async function runPlan(plan: ManagementPlan, run: PlanRun): Promise<PlanOutcome> {
  const start: PlanOutcome = { messages: run.messages, promptTokens: run.promptTokens, foldIds: [] };
  let outcome = start;
  if (plan.type === "fits") return outcome;
  const { bindsStanding = false } = run;
  const rungRun: RungRun = {
    measure: run.gauge.measure,
    offload: undefined,
    clear: {},
    pause: () => undefined,
    ...run,
    bindsStanding,
    allowedTokens: plan.allowedTokens,
  };
  if (bindsStanding) await runPaced(readStandingAhead(outcome.messages), rungRun.pause);
  if (bindsStanding) outcome = await settle(outcome, bindStanding(outcome.messages, rungRun), rungRun);
  for (const rung of plan.rungs) {
    const limitTokens = rung.type === "truncate" ? plan.allowedTokens : plan.targetTokens;
    if (outcome.promptTokens <= limitTokens) continue;
    await rungRun.pause();
    outcome = await settle(outcome, await takeRung(rung, outcome, rungRun), rungRun);
  }
  const { condensation } = outcome;
  const mayBeInVain = bindsStanding && condensation?.condenseId === undefined;
  const isStillOver = outcome.promptTokens > plan.allowedTokens;
  if (!mayBeInVain || !isStillOver || !(await isSameAgain(outcome, rungRun))) return outcome;
  return condensation === undefined ? start : { ...start, condensation };
}

/**
 * Whether the plan hid the same content as before behind other stand-ins: standing context was shown, and then hidden again for want of room. Such a
 * plan is dropped, as it would change the view with each request and gain nothing.
 */
async function isSameAgain({ messages, promptTokens }: PlanOutcome, run: RungRun): Promise<boolean> {
  if (messages === run.messages) return false;
  if (JSON.stringify(whatIsHidden(messages)) !== JSON.stringify(whatIsHidden(run.messages))) return false;
  return (await run.measure(run.messages)) - promptTokens < MARKER_TOKENS;
}

/** For each message but stand-ins: whether it is hidden, and which of its blocks are folded. */
function whatIsHidden(messages: readonly Message[]): readonly unknown[] {
  const standIns = collectStandIns(messages);
  return messages
    .filter((message) => !isStandIn(message))
    .map((message) => [
      isHidden(message, standIns),
      message.folds?.map(({ blockIndex, kind }) => `${kind} ${blockIndex}`).toSorted(),
    ]);
}

/** What a rung did, with `promptTokens` where the rung measured the prompt itself. */
type Step = Omit<PlanOutcome, "promptTokens"> & { readonly promptTokens?: number };

interface RungRun extends Required<PlanRun> {
  readonly allowedTokens: number;
}

/** Shows standing context that folds hide, if it fits its share, and clips what exceeds the share. */
function bindStanding(messages: readonly Message[], { gauge, allowedTokens, taskId }: RungRun): Step {
  const limits = { allowedTokens: gauge.viewTokens(allowedTokens), countTokens: gauge.countTokens };
  const shown = surfaceStanding(messages);
  const isRoom = shown === messages || isWithinShare(shown, limits);
  const capped = capStanding(isRoom ? shown : messages, { ...limits, taskId });
  return { messages: capped.messages, foldIds: capped.foldIds };
}

/** The outcome after a step that passed the checks; otherwise the outcome before it, with the step's cost and error. */
async function settle(outcome: PlanOutcome, step: Step, run: RungRun): Promise<PlanOutcome> {
  const isChanged = step.messages !== outcome.messages;
  if (isChanged) await run.pause();
  const fault = isChanged ? (verifyFold(outcome.messages, step.messages) ?? oversizedSummary(step, run)) : undefined;
  if (fault !== undefined) return { ...outcome, ...refusedCondensation(step, outcome.messages, fault) };
  if (isChanged) await run.pause();
  const { promptTokens = isChanged ? await run.measure(step.messages) : outcome.promptTokens } = step;
  return { ...outcome, ...step, promptTokens, foldIds: [...outcome.foldIds, ...step.foldIds] };
}

/** Why a summary that leaves the prompt over the limit is refused: it alone makes the prompt too large. Undefined where it does not. */
function oversizedSummary({ messages, condensation }: Step, { gauge, allowedTokens }: RungRun): string | undefined {
  if (condensation?.condenseId === undefined || gauge.measure(messages) <= allowedTokens) return undefined;
  const isSummary = (message: Message) => summaryId(message) === condensation.condenseId;
  const view = effectiveView(messages);
  const fits = (part: readonly Message[]) =>
    gauge.promptTokens(countMessagesTokens(part, gauge.countTokens)) <= allowedTokens;
  if (!fits(view.filter(isSummary))) return "The summary is too large: it alone is over the limit.";
  const isRestFitting = fits(view.filter((message) => !isSummary(message)));
  return isRestFitting ? "The summary is too large: without it the context would fit." : undefined;
}

/** The condensation of a step that was refused, with its cost and the reason. */
function refusedCondensation(
  { condensation }: Step,
  messages: readonly Message[],
  error: string,
): Partial<PlanOutcome> {
  if (condensation === undefined) return {};
  const { cost, modelCalls = 1 } = condensation;
  return { condensation: { messages, summary: "", cost, modelCalls, error } };
}

async function takeRung(rung: Rung, outcome: PlanOutcome, run: RungRun): Promise<Step> {
  const { messages, promptTokens } = outcome;
  const { taskId, gauge } = run;
  switch (rung.type) {
    case "dedupe":
    case "clear": {
      const fold = rung.type === "dedupe" ? dedupeToolResults : clearToolResults;
      // A pointer to a copy that the next rung clears would send the model to a stub.
      const options = { countTokens: gauge.countTokens, taskId, pointTo: DEFAULT_KEEP_NEWEST, clearToolInputs: true };
      return writingFiles(messages, run.offload, async (offload): Promise<Step> => {
        const { messages: folded, foldId } = fold(messages, { ...run.clear, ...options, offload });
        return foldId === undefined ? { messages, foldIds: [] } : { messages: folded, foldIds: [foldId] };
      });
    }
    case "condense": {
      const condensation = await run.condense(messages, promptTokens);
      const { condenseId, error } = condensation;
      // With an error, nothing else of the result is used.
      if (error !== undefined) return { messages, foldIds: [], condensation };
      await run.pause();
      if (run.bindsStanding) await runPaced(readStandingAhead(condensation.messages), run.pause);
      // Condensers of users may not know of standing context.
      const shown = run.bindsStanding ? surfaceStanding(condensation.messages) : condensation.messages;
      return { messages: shown, foldIds: condenseId === undefined ? [] : [condenseId], condensation };
    }
    case "truncate": {
      const truncation = {
        ...run,
        selection: rung.selection,
        isReported: messages === run.messages,
        freshSummaryId: outcome.condensation?.condenseId,
      };
      const { truncationId, messagesRemoved, ...step } = await writingFiles(messages, run.offload, (offload) =>
        truncateRung(messages, { ...truncation, offload }),
      );
      return { ...step, truncation: { messagesRemoved, ...(truncationId === undefined ? {} : { truncationId }) } };
    }
  }
}
