import { verifyFold } from "../../core/history/verify-fold.ts";
import type { Message } from "../../core/message/message.ts";
import { holdsPointer, resolvePointers } from "../../core/truncate/pointers.ts";
import type { Progress } from "./fold-once.ts";
import { type Assessment, assess, type LiveSession, logCheck } from "./live-session.ts";

/** What a pointer leads to may take so much of what is allowed beside system prompt and tools. */
const POINTED_SHARE = 0.25;

/** Looks for pointers in views, and at each message once. */
export interface PointerWatch {
  /**
   * Shows what pointers of the agent's lead to where folds hide it. Undefined where there is nothing to show, or somebody else rewrote
   * the log meanwhile: then the next view is looked at.
   */
  show(
    assessment: Assessment,
    hasFolded: boolean,
  ): Promise<{ readonly assessment: Assessment; readonly folded: Progress } | undefined>;
}

export function createPointerWatch(session: LiveSession): PointerWatch {
  let seen: readonly Message[] = [];

  /** A fold may hide what an old pointer leads to; else only what is new can be one. */
  function mayPoint(view: readonly Message[], hasFolded: boolean): boolean {
    const isExtended = !hasFolded && view.length >= seen.length;
    const unseen = isExtended ? view.slice(seen.length) : view;
    seen = view;
    return unseen.some(holdsPointer);
  }

  return {
    async show(assessment, hasFolded) {
      if (!mayPoint(assessment.view, hasFolded)) return undefined;
      const { allowedTokens, overheadTokens } = assessment.decision;
      const base = await session.log.whole();
      const gauge = session.meter().gauge(assessment);
      const { messages, foldId } = resolvePointers(base.messages, {
        countTokens: session.countTokens,
        taskId: session.id,
        mostTokens: POINTED_SHARE * gauge.viewTokens(Math.max(overheadTokens, allowedTokens)),
      });
      if (foldId === undefined || verifyFold(base.messages, messages) !== undefined) return undefined;
      logCheck(session, assessment, "resolve");
      if (!(await session.log.commit(base, messages))) return undefined;
      const { prevContextTokens } = assessment.context;
      const shown = assess(session, { reserve: assessment.reserve });
      const sizes = { prevContextTokens, newContextTokens: shown.context.prevContextTokens };
      session.record({ type: "blocks_folded", at: session.ports.now(), foldIds: [foldId], ...sizes });
      seen = shown.view;
      return { assessment: shown, folded: { foldIds: [foldId], cost: 0, lostRace: false } };
    },
  };
}
