import { verifyFold } from "../../core/history/verify-fold.ts";
import { addNotice, isNoticeDue, lastNoticePercent, type WindowUse } from "../../core/truncate/notice.ts";
import { assess, logCheck } from "./assess.ts";
import type { Step } from "./fold-until-fits.ts";
import type { LiveSession } from "./live-session.ts";

/** Adds lines to messages that say how full the window is, where `monitoring.budgetNotice` is on. */
export interface BudgetNotices {
  /** Adds a line to the newest message if one is due and the view fits with it. */
  add(step: Step): Promise<Step>;
}

export function createBudgetNotices(session: LiveSession): BudgetNotices {
  /** The number of messages at the last decision: a log that was sent without a notice is sent without it again. */
  let decidedAt: number | undefined;
  let last: { readonly rewriteVersion: number; readonly percent: number | undefined } | undefined;

  /** The percentage in the newest notice. Only a rewrite adds or hides a notice, so the log is searched once after each rewrite. */
  async function lastPercent(): Promise<number | undefined> {
    const { messages, rewriteVersion } = await session.log.whole();
    if (last?.rewriteVersion !== rewriteVersion) last = { rewriteVersion, percent: lastNoticePercent(messages) };
    return last.percent;
  }

  return {
    async add(step) {
      const { assessment } = step;
      const saidMessages = session.log.saidMessages();
      const isOn = session.ports.configuration.monitoring.budgetNotice && !assessment.decision.mustShrink;
      if (!isOn || saidMessages === decidedAt) return step;
      decidedAt = saidMessages;
      const use = windowUse(step);
      if (!isNoticeDue(use, await lastPercent())) return step;
      const base = await session.log.whole();
      const { countTokens, id: taskId } = session;
      const { messages, foldId, addedTokens } = addNotice(base.messages, { use, countTokens, taskId });
      if (
        foldId === undefined ||
        !hasRoom(recounted(session, step), addedTokens, assessment) ||
        verifyFold(base.messages, messages) !== undefined
      )
        return step;
      logCheck(session, assessment, "notice");
      if (!(await session.log.commit(base, messages))) return step;
      // The notice is not added to the progress: it hides nothing, and is no fold for reports and statements.
      return { ...step, assessment: assess(session, { reserve: assessment.reserve }) };
    },
  };
}

/** No model makes more tokens of one of ours. */
const MOST_TOKENS_FOR_OURS = 2;

/** Whether the view still fits with the line, and the line does not cause a fold. */
function hasRoom(use: WindowUse, addedTokens: number, { decision }: Step["assessment"]): boolean {
  const longer = use.promptTokens + MOST_TOKENS_FOR_OURS * addedTokens;
  const isFolding = use.promptTokens < use.foldsAtTokens && longer >= use.foldsAtTokens;
  return longer <= decision.allowedTokens && !isFolding;
}

/** The use of the window by the larger of report and count: the line rewrites the view, so that the report no longer holds. */
function recounted(session: LiveSession, step: Step): WindowUse {
  const { view } = step.assessment;
  const meter = session.meter();
  const use = windowUse(step);
  return { ...use, promptTokens: use.promptTokens + Math.max(0, meter.foretell(view) - meter.measure(view)) };
}

function windowUse({ assessment: { context, decision } }: Step): WindowUse {
  return {
    promptTokens: context.prevContextTokens,
    contextWindow: context.contextWindow,
    foldsAtTokens: Math.min(decision.triggerTokens, decision.allowedTokens),
    targetTokens: decision.targetTokens,
  };
}
