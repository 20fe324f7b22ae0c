import { verifyFold } from "../../core/history/verify-fold.ts";
import { addNotice, isNoticeDue, lastNoticePercent, type WindowUse } from "../../core/truncate/notice.ts";
import type { Step } from "./fold-until-fits.ts";
import { assess, type LiveSession, logCheck } from "./live-session.ts";

/** Tells the model how full its window is, where that is switched on. */
export interface BudgetNotices {
  /** Adds a line to the newest message where there is something new to tell; the view fits as it did. */
  add(step: Step): Promise<Step>;
}

export function createBudgetNotices(session: LiveSession): BudgetNotices {
  let known: { readonly rewriteVersion: number; readonly percent: number | undefined } | undefined;

  /** Only a rewrite adds a notice or hides one: the view is looked through once after each. */
  function lastPercent(): number | undefined {
    const { messages, rewriteVersion } = session.log.state();
    if (known?.rewriteVersion !== rewriteVersion) known = { rewriteVersion, percent: lastNoticePercent(messages) };
    return known.percent;
  }

  return {
    async add(step) {
      const { assessment } = step;
      const isOn = session.ports.configuration.monitoring.budgetNotice && !assessment.decision.mustShrink;
      const use = windowUse(step);
      if (!isOn || !isNoticeDue(use, lastPercent())) return step;
      const base = session.log.state();
      const { countTokens, id: taskId } = session;
      const { messages, foldId } = addNotice(base.messages, { use, countTokens, taskId });
      if (foldId === undefined || verifyFold(base.messages, messages) !== undefined) return step;
      logCheck(session, assessment, "notice");
      if (!(await session.log.commit(base, messages))) return step;
      // It hides nothing, so that no report and no statement counts it among the folds.
      return { ...step, assessment: assess(session, { reserve: assessment.reserve }) };
    },
  };
}

function windowUse({ assessment: { context, decision } }: Step): WindowUse {
  return {
    promptTokens: context.prevContextTokens,
    contextWindow: context.contextWindow,
    foldsAtTokens: Math.min(decision.triggerTokens, decision.allowedTokens),
    targetTokens: decision.targetTokens,
  };
}
