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
  /** How many messages there were when it was last decided: what was sent without a notice is sent without it again. */
  let decidedAt: number | undefined;
  let known: { readonly rewriteVersion: number; readonly percent: number | undefined } | undefined;

  /** Only a rewrite adds a notice or hides one: the view is looked through once after each. */
  async function lastPercent(): Promise<number | undefined> {
    const { messages, rewriteVersion } = await session.log.whole();
    if (known?.rewriteVersion !== rewriteVersion) known = { rewriteVersion, percent: lastNoticePercent(messages) };
    return known.percent;
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
      // It hides nothing, so that no report and no statement counts it among the folds.
      return { ...step, assessment: assess(session, { reserve: assessment.reserve }) };
    },
  };
}

/** No model takes more tokens for one of ours. */
const MOST_TOKENS_FOR_OURS = 2;

/** Whether the view fits with the line too, and nothing is folded because of it. */
function hasRoom(use: WindowUse, addedTokens: number, { decision }: Step["assessment"]): boolean {
  const longer = use.promptTokens + MOST_TOKENS_FOR_OURS * addedTokens;
  const isFolding = use.promptTokens < use.foldsAtTokens && longer >= use.foldsAtTokens;
  return longer <= decision.allowedTokens && !isFolding;
}

/** The line rewrites the view, whose size is then what we count, not what was reported: the larger of both must fit. */
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
