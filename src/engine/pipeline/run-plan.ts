import { verifyFold } from "../../core/history/verify-fold.ts";
import { collectStandIns, effectiveView, isHidden, isStandIn, summaryId } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { ManagementPlan, Rung } from "../../core/policy/plan-management.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { Pause } from "../../core/ports/pacer.ts";
import { surfaceStanding } from "../../core/standing/surface.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { type ClearRules, clearToolResults, DEFAULT_KEEP_NEWEST } from "../../core/truncate/clear-tool-results.ts";
import { capStanding, isWithinShare } from "../../core/truncate/clip-standing.ts";
import { dedupeToolResults } from "../../core/truncate/dedupe-tool-results.ts";
import { MARKER_TOKENS } from "../../core/truncate/hide-oldest.ts";
import { type OffloadRun, writingFiles } from "./offload-run.ts";
import type { PromptGauge } from "./prompt-gauge.ts";
import { truncateRung } from "./truncate-rung.ts";

/** All that a plan needs to be carried out. */
export interface PlanRun {
  readonly messages: readonly Message[];
  readonly taskId: string;
  /** The prompt as it is now; may be known better than the gauge can tell. */
  readonly promptTokens: number;
  readonly gauge: PromptGauge;
  /** The prompt that a log would be sent as, by whoever knows better than the gauge. @default gauge.measure */
  readonly measure?: (messages: readonly Message[]) => number | Promise<number>;
  /** Whether what binds the agent is first shown again where a fold hides it, and kept to its share. @default false */
  readonly bindsStanding?: boolean;
  /** Takes large tool outputs that are cleared or clipped. @default they stay in the log alone */
  readonly offload?: OffloadRun | undefined;
  /** How old tool results are cleared. @default all tools' alike, with stubs that name the call */
  readonly clear?: ClearRules;
  /** Called between the steps. @default all are taken in one go */
  readonly pause?: Pause;
  /** Asks the condensers to condense; what comes back has passed every check. */
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
 * Whether the same is hidden as before, behind other stand-ins: what binds was shown, and then there was no room for it. Done again at each
 * request, that would change the view each time for nothing.
 */
async function isSameAgain({ messages, promptTokens }: PlanOutcome, run: RungRun): Promise<boolean> {
  if (messages === run.messages) return false;
  if (JSON.stringify(whatIsHidden(messages)) !== JSON.stringify(whatIsHidden(run.messages))) return false;
  return (await run.measure(run.messages)) - promptTokens < MARKER_TOKENS;
}

/** For each message that was said: whether the view shows it, and which of its blocks are folded. */
function whatIsHidden(messages: readonly Message[]): readonly unknown[] {
  const standIns = collectStandIns(messages);
  return messages
    .filter((message) => !isStandIn(message))
    .map((message) => [
      isHidden(message, standIns),
      message.folds?.map(({ blockIndex, kind }) => `${kind} ${blockIndex}`).toSorted(),
    ]);
}

/** What a rung did; `promptTokens` where it measured that itself. */
type Step = Omit<PlanOutcome, "promptTokens"> & { readonly promptTokens?: number };

interface RungRun extends Required<PlanRun> {
  readonly allowedTokens: number;
}

/** What binds the agent is shown before anything is folded, as far as its share goes. */
function bindStanding(messages: readonly Message[], { gauge, allowedTokens, taskId }: RungRun): Step {
  const limits = { allowedTokens: gauge.viewTokens(allowedTokens), countTokens: gauge.countTokens };
  const shown = surfaceStanding(messages);
  const isRoom = shown === messages || isWithinShare(shown, limits);
  const capped = capStanding(isRoom ? shown : messages, { ...limits, taskId });
  return { messages: capped.messages, foldIds: capped.foldIds };
}

/** What a step leads to, once it has passed the checks. */
async function settle(outcome: PlanOutcome, step: Step, run: RungRun): Promise<PlanOutcome> {
  const isChanged = step.messages !== outcome.messages;
  if (isChanged) await run.pause();
  const fault = isChanged ? (verifyFold(outcome.messages, step.messages) ?? oversizedSummary(step, run)) : undefined;
  if (fault !== undefined) return { ...outcome, ...refusedCondensation(step, outcome.messages, fault) };
  if (isChanged) await run.pause();
  const { promptTokens = isChanged ? await run.measure(step.messages) : outcome.promptTokens } = step;
  return { ...outcome, ...step, promptTokens, foldIds: [...outcome.foldIds, ...step.foldIds] };
}

/** A summary that is itself what makes the prompt too large is no help, however much it hides. */
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

/** What is left of a step that was refused: its cost, and why. */
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
      // With an error nothing is applied, whatever else came back.
      if (error !== undefined) return { messages, foldIds: [], condensation };
      await run.pause();
      // Condensers of others may know nothing of what binds.
      const shown = run.bindsStanding ? surfaceStanding(condensation.messages) : condensation.messages;
      return { messages: shown, foldIds: condenseId === undefined ? [] : [condenseId], condensation };
    }
    case "truncate": {
      const truncation = {
        ...run,
        selection: rung.selection,
        isTold: messages === run.messages,
        freshSummaryId: outcome.condensation?.condenseId,
      };
      const { truncationId, messagesRemoved, ...step } = await writingFiles(messages, run.offload, (offload) =>
        truncateRung(messages, { ...truncation, offload }),
      );
      return { ...step, truncation: { messagesRemoved, ...(truncationId === undefined ? {} : { truncationId }) } };
    }
  }
}
