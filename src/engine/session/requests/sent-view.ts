import type { RequestDecision } from "../../../core/statement/request-record.ts";
import type { Progress } from "../fold-once.ts";
import { type Assessment, assess, type LiveSession } from "../live-session.ts";
import type { SentView } from "./request-keeper.ts";

/** How a view came about: how the session was found, how it is now, and what was done in between. */
export interface ViewFindings {
  readonly first: Assessment;
  readonly last: Assessment;
  readonly progress: Progress;
}

/** What is remembered of a view that is given out. */
export function sentView(session: LiveSession, { first, last, progress }: ViewFindings): SentView {
  const { context, decision, viewTokens } = last;
  return {
    promptTokens: context.prevContextTokens,
    overheadTokens: decision.overheadTokens,
    allowedTokens: decision.allowedTokens,
    viewTokens,
    foldIds: progress.foldIds,
    condenseUsd: progress.cost,
    decision: decisionOf(session, first, progress),
  };
}

/** The view as it is, for which nothing is folded. */
export function viewNow(session: LiveSession): SentView {
  const now = assess(session);
  return sentView(session, { first: now, last: now, progress: { foldIds: [], cost: 0, lostRace: false } });
}

/** Why something was folded for a view, or why not. */
function decisionOf(session: LiveSession, first: Assessment, { foldIds }: Progress): RequestDecision {
  const isByRent = session.ports.configuration.thresholds.adaptive && session.model().prices !== undefined;
  const policy = isByRent ? "rent" : "threshold";
  const { mustShrink, shouldCondense } = first.decision;
  if (foldIds.length === 0) {
    return { policy, reason: mustShrink || shouldCondense ? "nothing left to fold" : "fits" };
  }
  if (mustShrink) return { policy, reason: "limit" };
  // Bytes, images, and pointers to what is hidden need folds too, whatever the policy says.
  return { policy, reason: shouldCondense ? policy : "request limits" };
}
