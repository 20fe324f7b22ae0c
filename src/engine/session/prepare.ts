import { assert } from "../../core/assert.ts";
import { assertLimits, type ViewLimits } from "../../core/truncate/bytes/shed-bytes.ts";
import type { ResolvedConfiguration } from "../configuration/configuration.ts";
import type { Background } from "./background.ts";
import { assertFit, assertRoom, limitWarnings } from "./cannot-fit.ts";
import { type FoldOptions, foldOnce, type MayCondense, mayTruncate, type Progress } from "./fold-once.ts";
import { type Assessment, assess, condensesLocally, type LiveSession, logCheck } from "./live-session.ts";
import type { LogState } from "./log-state.ts";
import type { Prepared } from "./report.ts";
import type { SessionModel } from "./session-model.ts";
import { shedView } from "./shed-view.ts";
import { createPointerWatch, type PointerWatch } from "./show-pointers.ts";
import { settledOrAborted } from "./until-aborted.ts";

export interface PrepareOptions {
  /** When aborted, the promise is rejected with its reason. Folds that were made by then stay. */
  readonly signal?: AbortSignal | undefined;
  /** The most bytes that the view may take as JSON: providers refuse large bodies, whatever they hold. @default no limit */
  readonly maxViewBytes?: number | undefined;
  /** The most images that the view may show, those in tool results included. @default no limit */
  readonly maxImages?: number | undefined;
  /**
   * What a fold aims at, as a share of what is allowed: near 1 for a view that is sent once, as no turn comes after it that would need
   * room. No model is asked then, whose summary would be as short as ever. @default far enough below that the next fold is far away
   */
  readonly targetShare?: number | undefined;
}

/** Each round folds more; the later ones only matter where the estimate of the one before was wrong. */
const MAX_ROUNDS = 4;
/** Notes in the place of media may take tokens, and what is folded for tokens may take bytes: then once more, but no oftener. */
const MAX_LIMIT_ROUNDS = 2;
/** What is shown in place of a pointer may need a fold that hides what others lead to: then these are shown too, as far as that goes. */
const MAX_POINTER_ROUNDS = 3;
/** How much of what system prompt and tools leave of the window before the threshold a condensation in the background starts. */
const BACKGROUND_LEAD_SHARE = 0.1;

/** Others may rewrite a log again and again; after so many times in one prepare its caller is told. */
const MAX_LOST_RACES = 8;
const NO_PROGRESS: Progress = { foldIds: [], cost: 0, lostRace: false };

/** What a view was made from: the same gives the same view again. */
interface Source {
  readonly log: LogState;
  readonly configuration: ResolvedConfiguration;
  readonly model: SessionModel;
}

/** Makes a session's view fit, and gives it out. */
export function createPrepare(
  session: LiveSession,
  background: Background,
): (options: PrepareOptions) => Promise<Prepared> {
  const pointers = createPointerWatch(session);
  /** What the last view that something was folded for was made from. */
  let settled: Source | undefined;

  const source = (): Source => {
    return { log: session.log.state(), configuration: session.ports.configuration, model: session.model() };
  };

  function isSettled({ decision }: Assessment): boolean {
    const { log, configuration, model } = source();
    const isSame = settled?.log === log && settled.configuration === configuration && settled.model === model;
    return isSame && !decision.mustShrink;
  }

  /** Folds what must be folded, or sees to it that it will be. */
  async function fold(start: Step, options: FoldOptions): Promise<Step> {
    const { assessment } = start;
    if (isSettled(assessment)) {
      logCheck(session, assessment, "none");
      return start;
    }
    return startBackground(session, background, assessment) ? start : foldUntilFits(session, start, options);
  }

  return async (options) => {
    const { signal, targetShare } = options;
    signal?.throwIfAborted();
    assertLimits(options);
    assertShare(options);
    payRent(session);
    const first = assess(session);
    let step = await applyBackground(session, background, { assessment: first, progress: NO_PROGRESS });
    const isAwaited = background.isRunning() && step.assessment.decision.mustShrink;
    if (isAwaited) {
      await settledOrAborted(background.wait(), signal);
      signal?.throwIfAborted();
      step = await applyBackground(session, background, step);
    }
    step = { ...step, assessment: assertRoom(session, step.assessment) };
    // The one that was awaited has used up what this turn may ask of a model.
    const mayCondense = isAwaited || targetShare !== undefined ? "locally" : "yes";
    step = await fold(step, { mayCondense, targetShare, signal });
    if (step.assessment.decision.mustShrink) step = await foldByOwnCount(session, step, options);
    if (step.assessment.decision.mustShrink) step = await foldWithLeastReserve(session, step, options);
    step = await showPointers(session, pointers, { step, options });
    step = await foldToLimits(session, step, options);
    const { assessment, progress } = step;
    await assertFit(session, assessment, progress);
    if (progress.foldIds.length > 0) {
      settled = source();
      session.rent.folded();
    }
    session.meter().sent(assessment);
    return preparedFrom(session, { first, last: assessment, progress, limits: options });
  };
}

function assertShare({ targetShare = 0.5 }: PrepareOptions): void {
  const isShare = typeof targetShare === "number" && targetShare > 0 && targetShare < 1;
  assert(isShare, "options.targetShare", targetShare, "above 0 and below 1");
}

/** Another turn carries the whole view. */
function payRent(session: LiveSession): void {
  const meter = session.meter();
  const promptTokens = meter.measure(session.log.view());
  session.rent.turn({ promptTokens, overheadTokens: meter.overheadTokens(), model: session.model() });
}

/** How far a prepare has come. */
interface Step {
  readonly assessment: Assessment;
  readonly progress: Progress;
}

/** Puts what was condensed in the background in place, where it is finished. */
async function applyBackground(session: LiveSession, background: Background, step: Step): Promise<Step> {
  const result = await background.take();
  if (result === undefined) return step;
  const { cost, condenseId } = result;
  const foldIds = condenseId === undefined ? [] : [condenseId];
  return {
    assessment: assess(session),
    progress: add(step.progress, { foldIds, cost, condensed: result, lostRace: false }),
  };
}

function add(progress: Progress, more: Progress): Progress {
  return {
    ...progress,
    ...more,
    foldIds: [...progress.foldIds, ...more.foldIds],
    cost: progress.cost + more.cost,
  };
}

/**
 * Starts a condensation in the background where one will soon be needed. True while there is time to wait for it: then
 * nothing else is folded, which would undo what is under way.
 */
function startBackground(session: LiveSession, background: Background, assessment: Assessment): boolean {
  const { strategies } = session.ports.configuration;
  const { prevContextTokens, triggerTokens, overheadTokens, mustShrink, mayCondense } = assessment.decision;
  if (!strategies.background || mustShrink || !mayCondense) return false;
  const leadTokens = BACKGROUND_LEAD_SHARE * (assessment.context.contextWindow - overheadTokens);
  const isNear = prevContextTokens >= triggerTokens - leadTokens;
  const isStarted = isNear && !session.backOff.isWaiting(assessment.context.messages) && background.start(assessment);
  logCheck(session, assessment, isStarted ? "condense-in-background" : "none");
  return true;
}

async function foldUntilFits(session: LiveSession, start: Step, options: FoldOptions): Promise<Step> {
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
    progress = add(progress, folded);
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
async function foldByOwnCount(
  session: LiveSession,
  step: Step,
  { targetShare, signal }: PrepareOptions,
): Promise<Step> {
  session.meter().forgetReports();
  const counted: Step = { ...step, assessment: assess(session) };
  if (!counted.assessment.decision.mustShrink) return counted;
  return foldUntilFits(session, counted, { mayCondense: "locally", targetShare, signal });
}

/** A shorter reply is better than none: before giving up, what is kept free for it is only what no reply can do without. */
async function foldWithLeastReserve(
  session: LiveSession,
  step: Step,
  { targetShare, signal }: PrepareOptions,
): Promise<Step> {
  const pressed: Step = { ...step, assessment: assess(session, { reserve: "least" }) };
  if (!pressed.assessment.decision.mustShrink) return pressed;
  return foldUntilFits(session, pressed, { mayCondense: "locally", targetShare, signal });
}

/** An agent may point to what is hidden now: it is shown in place of the pointer, and something else goes for it if need be. */
async function showPointers(
  session: LiveSession,
  pointers: PointerWatch,
  { step, options }: { readonly step: Step; readonly options: PrepareOptions },
): Promise<Step> {
  const { targetShare, signal } = options;
  let shown = step;
  for (let round = 0; round < MAX_POINTER_ROUNDS && !shown.assessment.decision.mustShrink; round++) {
    const resolved = await pointers.show(shown.assessment, shown.progress.foldIds.length > 0);
    if (resolved === undefined) break;
    shown = { assessment: resolved.assessment, progress: add(shown.progress, resolved.folded) };
    if (!shown.assessment.decision.mustShrink) break;
    // What goes for it may be what another pointer leads to.
    shown = await foldUntilFits(session, shown, { mayCondense: "locally", targetShare, signal });
  }
  return shown;
}

/** Brings a view that fits the window under the provider's other limits too, as far as that goes. */
async function foldToLimits(session: LiveSession, start: Step, options: PrepareOptions): Promise<Step> {
  let step = start;
  for (let round = 0; round < MAX_LIMIT_ROUNDS && !step.assessment.decision.mustShrink; round++) {
    const shed = await shedView(session, step.assessment, options);
    if (shed === undefined) break;
    step = { assessment: shed.assessment, progress: add(step.progress, shed.folded) };
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
  if (asked === "yes" && hasModel && (isOnlyWay || !session.backOff.isWaiting(context.messages))) return "yes";
  const isWorthIt = mustShrink || !session.localBackOff.isWaiting(context.messages);
  return asked !== "no" && isWorthIt && condensesLocally(session) ? "locally" : "no";
}

interface Findings {
  readonly first: Assessment;
  readonly last: Assessment;
  readonly progress: Progress;
  readonly limits: ViewLimits;
}

function preparedFrom(session: LiveSession, { first, last, progress, limits }: Findings): Prepared {
  const { context, decision, view } = last;
  const { foldIds, cost, condensed } = progress;
  return {
    messages: [...view],
    report: {
      promptTokens: context.prevContextTokens,
      prevContextTokens: first.context.prevContextTokens,
      contextWindow: context.contextWindow,
      allowedTokens: decision.allowedTokens,
      usedPercent: first.context.usedPercent,
      foldIds,
      cost,
      ...(condensed?.error === undefined ? {} : { error: condensed.error }),
      warnings: [
        ...(decision.warning === undefined ? [] : [decision.warning]),
        ...(condensed?.modelError === undefined ? [] : [`Condensed without a model. ${condensed.modelError}`]),
        ...limitWarnings(view, limits),
        ...session.meter().warnings(),
        ...unusedPrompts(session),
      ],
    },
  };
}

/** A prompt for a strategy that does not exist was meant for another: it must not be ignored in silence. */
function unusedPrompts(session: LiveSession): readonly string[] {
  const { configuration, plugins } = session.ports;
  const names = plugins.list().map((plugin) => plugin.name);
  return Object.keys(configuration.strategies.customPrompts)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const known = names.length === 0 ? "there is none" : `there is ${names.join(", ")}`;
      return `strategies.customPrompts names ${JSON.stringify(name)}, but no strategy is called that; ${known}.`;
    });
}
