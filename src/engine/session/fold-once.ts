import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { type ManagementPlan, planManagement } from "../../core/policy/plan-management.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { TruncationSelection } from "../../core/truncate/fit-options.ts";
import { CONDENSED_TOO_LATE, refuseCondensation } from "../condense/condensation-run.ts";
import { pauseFor } from "../condense/run-condensation.ts";
import { runPlan } from "../pipeline/run-plan.ts";
import { type Assessment, logCheck, shareOfTarget } from "./assess.ts";
import { condenseMessages, recordCondensation } from "./condense-messages.ts";
import type { LiveSession } from "./live-session.ts";
import { outcomeEvents, type RecordedOutcome, rememberOutcome } from "./record-outcome.ts";

/** What one prepare has done so far. */
export interface Progress {
  /** The folds that were made, in order. */
  readonly foldIds: readonly string[];
  /** What condensing cost, in USD. */
  readonly cost: number;
  /** The outcome of the condensation; undefined where none was tried. */
  readonly condensed?: Pick<CondensationResult, "error" | "modelError">;
  /** Whether another process rewrote the log during the last fold: the fold was discarded, and the log must be assessed again. */
  readonly lostRace: boolean;
  /** Warnings for the report. */
  readonly warnings?: readonly string[];
}

/** Which condensers may run: none, only those that ask no model, or all. */
export type MayCondense = "no" | "locally" | "yes";

export interface FoldOptions {
  readonly mayCondense: MayCondense;
  /** The size that the fold aims at, as a share of what is allowed. @default the policy's own, which leaves room for turns to come */
  readonly targetShare?: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Plans one fold, runs the plan and commits the result. */
export async function foldOnce(session: LiveSession, assessment: Assessment, options: FoldOptions): Promise<Progress> {
  const { log, id: taskId } = session;
  const { context } = assessment;
  const plan = planFor(session, assessment, options);
  logCheck(session, assessment, plan.type === "fits" ? "none" : plan.rungs.map((rung) => rung.type).join("+"));
  if (plan.type === "fits") return { foldIds: [], cost: 0, lostRace: false };
  const base = await log.whole();
  let condensedFrom = context.prevContextTokens;
  const offload = session.offload?.();
  const pause = pauseFor(base.messages, session.ports);
  await pause();
  const outcome = await runPlan(plan, {
    messages: base.messages,
    taskId,
    promptTokens: context.prevContextTokens,
    bindsStanding: true,
    pause,
    offload,
    clear: session.ports.configuration.strategies.clear,
    gauge: session.meter().gauge(assessment),
    measure: (messages) => session.meter().foretell(effectiveView(messages)),
    condense: (messages, prevContextTokens) => {
      condensedFrom = prevContextTokens;
      return condenseUnlessAborted(session, { messages, assessment, prevContextTokens, options });
    },
  });
  const recorded = { outcome, base: base.messages, condensedFrom };
  await pause();
  const events = outcomeEvents(session, assessment, recorded);
  if (outcome.messages === base.messages) for (const event of events) session.record(event);
  else if (!(await log.commit(base, outcome.messages, events))) {
    return { ...discardOutcome(session, recorded), warnings: offload?.warnings() ?? [] };
  }
  rememberOutcome(session, assessment, recorded);
  const { foldIds, condensation } = outcome;
  const warnings = offload?.warnings() ?? [];
  const progress = { foldIds, cost: condensation?.cost ?? 0, lostRace: false, warnings };
  return condensation === undefined ? progress : { ...progress, condensed: condensation };
}

interface CondensingStep {
  readonly messages: readonly Message[];
  readonly assessment: Assessment;
  readonly prevContextTokens: number;
  readonly options: FoldOptions;
}

/** Condenses the messages. If the caller's signal aborts meanwhile, the cost is recorded, and the signal's reason thrown. */
async function condenseUnlessAborted(
  session: LiveSession,
  { messages, assessment, prevContextTokens, options: { mayCondense, targetShare, signal } }: CondensingStep,
): Promise<CondensationResult> {
  const result = await condenseMessages(session, {
    messages,
    context: { ...assessment.context, prevContextTokens },
    mayAskModel: mayCondense === "yes",
    targetShare: targetShare ?? shareOfTarget(assessment),
    signal,
  });
  if (signal?.aborted !== true) return result;
  recordCondensation(session, { messages, result, prevContextTokens, isAborted: true });
  throw signal.reason;
}

/** Records the cost of a condensation whose result came too late to be committed. */
function discardOutcome(session: LiveSession, { outcome, base, condensedFrom }: RecordedOutcome): Progress {
  const { condensation } = outcome;
  if (condensation === undefined) return { foldIds: [], cost: 0, lostRace: true };
  const { cost, modelCalls = 1, error = CONDENSED_TOO_LATE } = condensation;
  const result = refuseCondensation(base, { error, costUsd: cost, modelCalls });
  // A lost race says nothing about the model, so that it must not cause a back-off.
  const isAborted = condensation.error === undefined;
  recordCondensation(session, { messages: base, result, prevContextTokens: condensedFrom, isAborted });
  return { foldIds: [], cost, condensed: result, lostRace: true };
}

const OLDEST: TruncationSelection = { type: "oldest" };

function planFor(
  session: LiveSession,
  { decision, context }: Assessment,
  { mayCondense, targetShare }: Pick<FoldOptions, "mayCondense" | "targetShare">,
): ManagementPlan {
  const { configuration, resolvers } = session.ports;
  return planManagement(
    { ...decision, shouldCondense: decision.shouldCondense && mayCondense !== "no" },
    {
      foldsToolResults: configuration.strategies.primary === "hybrid",
      offloadsResults: session.offload !== undefined,
      selection:
        decision.mustShrink && mayTruncate(session) ? (resolvers.truncationSelection(context) ?? OLDEST) : undefined,
      targetShare,
    },
  );
}

/** Whether the configuration allows truncation, where condensing does not help. */
export function mayTruncate(session: LiveSession): boolean {
  const { primary, fallback } = session.ports.configuration.strategies;
  return fallback === "truncation" || primary === "truncation";
}
