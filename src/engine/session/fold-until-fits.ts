import type { ViewLimits } from "../../core/truncate/bytes/shed-bytes.ts";
import { type Assessment, assess, condensesLocally } from "./assess.ts";
import { type FoldOptions, foldOnce, type MayCondense, mayTruncate, type Progress } from "./fold-once.ts";
import type { LiveSession } from "./live-session.ts";
import { shedView } from "./shed-view.ts";
import type { PointerWatch } from "./show-pointers.ts";

/** Each round folds more. A second one is needed only if the first one's estimate was wrong. */
const MAX_ROUNDS = 4;
/** Stand-ins of media may take tokens, and a fold for tokens may take bytes: then both are done once more. */
const MAX_LIMIT_ROUNDS = 2;
/** What is shown in place of a pointer may need a fold, which may hide the target of another pointer. */
const MAX_POINTER_ROUNDS = 3;
/** How often one prepare starts again because another process rewrote the log; then its caller gets the conflict. */
const MAX_LOST_RACES = 8;

/** The options of prepare that all its folds use. */
interface FoldAim {
  readonly targetShare?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The session as the last step of a prepare left it, and what all steps so far have done. */
export interface Step {
  readonly assessment: Assessment;
  readonly progress: Progress;
}

/** Adds the progress of one more step. */
export function addProgress(progress: Progress, more: Progress): Progress {
  return {
    ...progress,
    ...more,
    foldIds: [...progress.foldIds, ...more.foldIds],
    cost: progress.cost + more.cost,
    warnings: [...new Set([...(progress.warnings ?? []), ...(more.warnings ?? [])])],
  };
}

/** Folds round after round until the view fits, or nothing is left to fold. */
export async function foldUntilFits(session: LiveSession, start: Step, options: FoldOptions): Promise<Step> {
  const { mayCondense, targetShare, signal } = options;
  let { assessment, progress } = start;
  const { reserve } = assessment;
  let lostRaces = 0;
  for (let round = 0; round < MAX_ROUNDS && lostRaces < MAX_LOST_RACES; ) {
    const { mustShrink } = assessment.decision;
    if (round + lostRaces > 0 && !mustShrink) break;
    // After a lost race, no model is asked again.
    const wanted = lostRaces > 0 && mayCondense === "yes" ? "locally" : mayCondense;
    const allowed = round === 0 ? whoMayCondense(session, assessment, wanted) : "no";
    const folded = await foldOnce(session, assessment, { mayCondense: allowed, targetShare, signal });
    progress = addProgress(progress, folded);
    if (folded.lostRace) {
      lostRaces += 1;
      assessment = assess(session, { reserve });
      continue;
    }
    round += 1;
    const hasFolded = folded.foldIds.length > 0;
    // Nothing is left to fold by the provider's report of the prompt's size: try once more by our own count.
    const isRecounted = !hasFolded && mustShrink ? session.meter().recount() : false;
    const isStuck = !hasFolded && !isRecounted;
    // While a model was asked, messages may have been appended: assess again even if nothing was folded.
    if (!isStuck || folded.condensed !== undefined) assessment = assess(session, { reserve });
    if (isStuck) break;
  }
  return { assessment, progress };
}

/** Folds by our own count of the prompt alone: a wrong report of the provider must not block a session for good. */
export async function foldByOwnCount(
  session: LiveSession,
  step: Step,
  { targetShare, signal }: FoldAim,
): Promise<Step> {
  session.meter().forgetReports();
  const counted: Step = { ...step, assessment: assess(session) };
  if (!counted.assessment.decision.mustShrink) return counted;
  return foldUntilFits(session, counted, { mayCondense: "locally", targetShare, signal });
}

/** Folds with only the least room kept free for the reply: a shorter reply is better than none. */
export async function foldWithLeastReserve(
  session: LiveSession,
  step: Step,
  { targetShare, signal }: FoldAim,
): Promise<Step> {
  const pressed: Step = { ...step, assessment: assess(session, { reserve: "least" }) };
  if (!pressed.assessment.decision.mustShrink) return pressed;
  return foldUntilFits(session, pressed, { mayCondense: "locally", targetShare, signal });
}

/** Shows the targets of the agent's pointers to hidden content, and folds something else where the view no longer fits with them. */
export async function showPointers(
  session: LiveSession,
  pointers: PointerWatch,
  { step, options }: { readonly step: Step; readonly options: FoldAim },
): Promise<Step> {
  const { targetShare, signal } = options;
  let shown = step;
  for (let round = 0; round < MAX_POINTER_ROUNDS && !shown.assessment.decision.mustShrink; round++) {
    const resolved = await pointers.show(shown.assessment, shown.progress.foldIds.length > 0);
    if (resolved === undefined) break;
    shown = { assessment: resolved.assessment, progress: addProgress(shown.progress, resolved.folded) };
    if (!shown.assessment.decision.mustShrink) break;
    // This fold may hide the target of another pointer, which the next round shows.
    shown = await foldUntilFits(session, shown, { mayCondense: "locally", targetShare, signal });
  }
  return shown;
}

/** Folds a view that fits the window until it is within the limits of bytes and images, too, as far as possible. */
export async function foldToLimits(session: LiveSession, start: Step, options: FoldAim & ViewLimits): Promise<Step> {
  let step = start;
  for (let round = 0; round < MAX_LIMIT_ROUNDS && !step.assessment.decision.mustShrink; round++) {
    const shed = await shedView(session, step.assessment, options);
    if (shed === undefined) break;
    step = { assessment: shed.assessment, progress: addProgress(step.progress, shed.folded) };
    if (!step.assessment.decision.mustShrink) break;
    const { targetShare, signal } = options;
    step = await foldUntilFits(session, step, { mayCondense: "locally", targetShare, signal });
  }
  return step;
}

/** Which condensers may run now. Those that failed recently back off, unless a summary is the only way to make the view fit. */
function whoMayCondense(session: LiveSession, { decision, context }: Assessment, asked: MayCondense): MayCondense {
  const { mustShrink, shouldCondense } = decision;
  if (!shouldCondense) return "no";
  const isOnlyWay = mustShrink && !mayTruncate(session);
  const hasModel = session.ports.plugins.list().some(({ usesModel = true }) => usesModel);
  if (asked === "yes" && hasModel && (isOnlyWay || !session.backOff.isWaiting(() => context.messages))) return "yes";
  const isWorthIt = mustShrink || !session.localBackOff.isWaiting(() => context.messages);
  return asked !== "no" && isWorthIt && condensesLocally(session) ? "locally" : "no";
}
