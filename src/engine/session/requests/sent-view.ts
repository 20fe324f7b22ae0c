import type { RentDecision } from "../../../core/policy/rent.ts";
import type { RequestDecision } from "../../../core/statement/request-record.ts";
import { type Assessment, assess } from "../assess.ts";
import type { Progress } from "../fold-once.ts";
import type { LiveSession } from "../live-session.ts";
import type { SentView } from "./request-keeper.ts";

/** How a prepare went: the session before it, the session after it, and what was done in between. */
export interface ViewFindings {
  readonly first: Assessment;
  readonly last: Assessment;
  readonly progress: Progress;
}

/** What a request's record needs of a view that prepare returns. */
export function sentView({ first, last, progress }: ViewFindings): SentView {
  const { context, decision, viewTokens } = last;
  return {
    promptTokens: context.prevContextTokens,
    overheadTokens: decision.overheadTokens,
    allowedTokens: decision.allowedTokens,
    viewTokens,
    foldIds: progress.foldIds,
    ...(progress.foldIds.length === 0 ? {} : { folded: { before: first.view, after: last.view } }),
    condenseUsd: progress.cost,
    decision: decisionOf(first, progress),
  };
}

/** The session's view as it is now, for a request without a prepare. */
export function viewNow(session: LiveSession): SentView {
  const now = assess(session);
  return sentView({ first: now, last: now, progress: { foldIds: [], cost: 0, lostRace: false } });
}

/** The reason why a view was folded, or was not. */
function decisionOf({ rent, decision }: Assessment, { foldIds }: Progress): RequestDecision {
  const hasFolded = foldIds.length > 0;
  const { mustShrink, shouldCondense } = decision;
  if (mustShrink) return withNumbers(rent, hasFolded ? "limit" : "nothing to fold");
  if (!shouldCondense) return withNumbers(rent, hasFolded ? "request" : (rent?.reason ?? "fits"));
  if (!hasFolded) return withNumbers(rent, "nothing to fold");
  return withNumbers(rent, rent === undefined ? "threshold" : rent.reason === "waits" ? "limit" : rent.reason);
}

function withNumbers(rent: RentDecision | undefined, reason: RequestDecision["reason"]): RequestDecision {
  if (rent === undefined) return { policy: "threshold", reason };
  const { leftTokens, gainTokens, neededGainTokens, foldCost } = rent;
  const numbers = { leftTokens, gainTokens, foldCost, ...(Number.isFinite(neededGainTokens) && { neededGainTokens }) };
  const rounded = Object.entries(numbers).map(([name, value]) => [name, Math.round(value)]);
  return { policy: "rent", reason, numbers: Object.fromEntries(rounded) };
}
