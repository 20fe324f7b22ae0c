import type { ViewLimits } from "../../core/truncate/bytes/shed-bytes.ts";
import { type FoldOptions, foldOnce, type MayCondense, mayTruncate, type Progress } from "./fold-once.ts";
import { type Assessment, assess, condensesLocally, type LiveSession } from "./live-session.ts";
import { shedView } from "./shed-view.ts";
import type { PointerWatch } from "./show-pointers.ts";

/** Each round folds more; the later ones only matter where the estimate of the one before was wrong. */
const MAX_ROUNDS = 4;
/** Notes in the place of media may take tokens, and what is folded for tokens may take bytes: then once more, but no oftener. */
const MAX_LIMIT_ROUNDS = 2;
/** What is shown in place of a pointer may need a fold that hides what others lead to: then these are shown too, as far as that goes. */
const MAX_POINTER_ROUNDS = 3;
/** Others may rewrite a log again and again; after so many times in one prepare its caller is told. */
const MAX_LOST_RACES = 8;

/** What the folds of one prepare aim at. */
interface FoldAim {
  readonly targetShare?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How far a prepare has come. */
export interface Step {
  readonly assessment: Assessment;
  readonly progress: Progress;
}

/** What was done so far, and then. */
export function addProgress(progress: Progress, more: Progress): Progress {
  return {
    ...progress,
    ...more,
    foldIds: [...progress.foldIds, ...more.foldIds],
    cost: progress.cost + more.cost,
    warnings: [...new Set([...(progress.warnings ?? []), ...(more.warnings ?? [])])],
  };
}

/** Folds round after round until the view fits, or nothing more can go. */
export async function foldUntilFits(session: LiveSession, start: Step, options: FoldOptions): Promise<Step> {
  const { mayCondense, targetShare, signal } = options;
  let { assessment, progress } = start;
  const { reserve } = assessment;
  let lostRaces = 0;
  for (let round = 0; round < MAX_ROUNDS && lostRaces < MAX_LOST_RACES; ) {
    const { mustShrink } = assessment.decision;
    if (round + lostRaces > 0 && !mustShrink) break;
    // A model that was asked in vain, as others rewrote the log meanwhile, is not asked again.
    const asked = lostRaces > 0 && mayCondense === "yes" ? "locally" : mayCondense;
    const allowed = round === 0 ? whoMayCondense(session, assessment, asked) : "no";
    const folded = await foldOnce(session, assessment, { mayCondense: allowed, targetShare, signal });
    progress = addProgress(progress, folded);
    if (folded.lostRace) {
      lostRaces += 1;
      assessment = assess(session, { reserve });
      continue;
    }
    round += 1;
    const hasFolded = folded.foldIds.length > 0;
    // Nothing more can go. Where a report said how large the prompt is, our own count has the last word.
    const isRecounted = !hasFolded && mustShrink ? session.meter().recount() : false;
    const isStuck = !hasFolded && !isRecounted;
    // Only a model takes so long that more may have been said meanwhile.
    if (!isStuck || folded.condensed !== undefined) assessment = assess(session, { reserve });
    if (isStuck) break;
  }
  return { assessment, progress };
}

/** A report that was wrong must not block a session for good: before giving up, only what we count ourselves counts. */
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

/** A shorter reply is better than none: before giving up, what is kept free for it is only what no reply can do without. */
export async function foldWithLeastReserve(
  session: LiveSession,
  step: Step,
  { targetShare, signal }: FoldAim,
): Promise<Step> {
  const pressed: Step = { ...step, assessment: assess(session, { reserve: "least" }) };
  if (!pressed.assessment.decision.mustShrink) return pressed;
  return foldUntilFits(session, pressed, { mayCondense: "locally", targetShare, signal });
}

/** An agent may point to what is hidden now: it is shown in place of the pointer, and something else goes for it if need be. */
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
    // What goes for it may be what another pointer leads to.
    shown = await foldUntilFits(session, shown, { mayCondense: "locally", targetShare, signal });
  }
  return shown;
}

/** Brings a view that fits the window under the provider's other limits too, as far as that goes. */
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

/** Those who failed too recently wait; where nothing but a summary can help, nobody does. */
function whoMayCondense(session: LiveSession, { decision, context }: Assessment, asked: MayCondense): MayCondense {
  const { mustShrink, shouldCondense } = decision;
  if (!shouldCondense) return "no";
  const isOnlyWay = mustShrink && !mayTruncate(session);
  const hasModel = session.ports.plugins.list().some(({ usesModel = true }) => usesModel);
  if (asked === "yes" && hasModel && (isOnlyWay || !session.backOff.isWaiting(() => context.messages))) return "yes";
  const isWorthIt = mustShrink || !session.localBackOff.isWaiting(() => context.messages);
  return asked !== "no" && isWorthIt && condensesLocally(session) ? "locally" : "no";
}
