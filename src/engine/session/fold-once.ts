import { getEffectiveApiHistory } from "../../core/message/effective-view.ts";
import { type ManagementPlan, planManagement } from "../../core/policy/plan-management.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { TruncationSelection } from "../../core/truncate/fit-options.ts";
import { runPlan } from "../pipeline/run-plan.ts";
import { condenseMessages, type LiveSession, logCheck, recordCondensation, type Situation } from "./live-session.ts";
import { recordOutcome } from "./record-outcome.ts";

/** What has been done so far for one view. */
export interface Progress {
  /** The folds that were made, in order. */
  readonly foldIds: readonly string[];
  /** In USD. */
  readonly cost: number;
  /** What came of condensing, where it was tried: why it did not help, or undefined where it did. */
  readonly condensed?: Pick<CondensationResult, "error" | "modelError">;
}

/** Who may condense: nobody, only strategies that ask no model, or all. */
export type MayCondense = "no" | "locally" | "yes";

export interface FoldOptions {
  readonly mayCondense: MayCondense;
  readonly signal: AbortSignal | undefined;
}

/** Plans, runs and commits once. */
export async function foldOnce(
  session: LiveSession,
  situation: Situation,
  { mayCondense, signal }: FoldOptions,
): Promise<Progress> {
  const { log, id: taskId } = session;
  const { context } = situation;
  const plan = planFor(session, situation, mayCondense !== "no");
  logCheck(session, situation, plan.type === "fits" ? "none" : plan.rungs.map((rung) => rung.type).join("+"));
  if (plan.type === "fits") return { foldIds: [], cost: 0 };
  const base = log.state();
  let condensedFrom = context.prevContextTokens;
  const outcome = await runPlan(plan, {
    messages: base.messages,
    taskId,
    promptTokens: context.prevContextTokens,
    gauge: session.meter().gauge(situation),
    measure: (messages) => session.meter().foretell(getEffectiveApiHistory(messages)),
    condense: async (messages, prevContextTokens) => {
      condensedFrom = prevContextTokens;
      const result = await condenseMessages(session, {
        messages,
        context: { ...context, prevContextTokens },
        mayAskModel: mayCondense === "yes",
        signal,
      });
      if (signal?.aborted !== true) return result;
      recordCondensation(session, { messages, result, prevContextTokens, isAborted: true });
      throw signal.reason;
    },
  });
  const { condensation } = outcome;
  const cost = condensation?.cost ?? 0;
  if (outcome.messages !== base.messages) {
    // Rewritten meanwhile: then there is another log to look at.
    if (!(await log.commit(base, outcome.messages))) return { foldIds: [], cost };
  }
  recordOutcome(session, situation, { outcome, base: base.messages, condensedFrom });
  const { foldIds } = outcome;
  return condensation === undefined ? { foldIds, cost } : { foldIds, cost, condensed: condensation };
}

const OLDEST: TruncationSelection = { type: "oldest" };

function planFor(session: LiveSession, { decision, context }: Situation, mayCondense: boolean): ManagementPlan {
  const { configuration, resolvers } = session.ports;
  return planManagement(
    { ...decision, shouldCondense: decision.shouldCondense && mayCondense },
    {
      foldsToolResults: configuration.strategies.primary === "hybrid",
      selection:
        decision.mustShrink && mayTruncate(session) ? (resolvers.truncationSelection(context) ?? OLDEST) : undefined,
    },
  );
}

/** Whether something may be hidden where condensing does not help. */
export function mayTruncate(session: LiveSession): boolean {
  const { primary, fallback } = session.ports.configuration.strategies;
  return fallback === "truncation" || primary === "truncation";
}
