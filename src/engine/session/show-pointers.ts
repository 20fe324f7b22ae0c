import { verifyFold } from "../../core/history/verify-fold.ts";
import type { Message } from "../../core/message/message.ts";
import { holdsPointer, resolvePointers } from "../../core/truncate/pointers.ts";
import { type Assessment, assess, logCheck } from "./assess.ts";
import type { Progress } from "./fold-once.ts";
import type { LiveSession } from "./live-session.ts";

/** The most that the targets of pointers may take, as a share of what is allowed beside system prompt and tools. */
const POINTED_SHARE = 0.25;

/** Looks for agents' pointers to hidden content in views; each message is searched once. */
export interface PointerWatch {
  /**
   * Shows the hidden targets of the agent's pointers in their place. Undefined where there are none, and where another process rewrote the log
   * meanwhile: then the next view is searched again.
   */
  show(
    assessment: Assessment,
    hasFolded: boolean,
  ): Promise<{ readonly assessment: Assessment; readonly folded: Progress } | undefined>;
}

export function createPointerWatch(session: LiveSession): PointerWatch {
  let searched: readonly Message[] = [];

  /** Whether the view may have a pointer to hidden content. Without a fold since the last search, only new messages can be one. */
  function mayPoint(view: readonly Message[], hasFolded: boolean): boolean {
    const isExtended = !hasFolded && view.length >= searched.length;
    const unsearched = isExtended ? view.slice(searched.length) : view;
    searched = view;
    return unsearched.some(holdsPointer);
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
      searched = shown.view;
      return { assessment: shown, folded: { foldIds: [foldId], cost: 0, lostRace: false } };
    },
  };
}
