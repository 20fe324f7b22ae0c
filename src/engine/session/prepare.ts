import { assert } from "../../core/assert.ts";
import { type CompactionReader, compactionReaderOf } from "../../core/message/compaction-reader.ts";
import type { Reserve } from "../../core/tokens/budget.ts";
import { assertLimits } from "../../core/truncate/bytes/shed-bytes.ts";
import type { ResolvedConfiguration } from "../configuration/configuration.ts";
import { type Assessment, assess, logCheck } from "./assess.ts";
import type { Background } from "./background.ts";
import { type BudgetNotices, createBudgetNotices } from "./budget-notice.ts";
import { assertFit, assertRoom } from "./cannot-fit.ts";
import { createFoldAhead } from "./fold-ahead.ts";
import type { Progress } from "./fold-once.ts";
import {
  addProgress,
  foldByOwnCount,
  foldToLimits,
  foldUntilFits,
  foldWithLeastReserve,
  type Step,
  showPointers,
} from "./fold-until-fits.ts";
import { hideCompacted } from "./hide-compacted.ts";
import type { LiveSession } from "./live-session.ts";
import type { LogState } from "./log-state.ts";
import { preparedFrom } from "./prepare-report.ts";
import type { Prepared } from "./report.ts";
import type { RequestKeeper } from "./requests/request-keeper.ts";
import { sentView } from "./requests/sent-view.ts";
import type { SessionModel } from "./session-model.ts";
import { createPointerWatch, type PointerWatch } from "./show-pointers.ts";
import { settledOrAborted } from "./until-aborted.ts";

export interface PrepareOptions {
  /** Rejects the promise with the signal's reason when it is aborted. Folds that were made by then stay. */
  readonly signal?: AbortSignal | undefined;
  /** The most bytes that the view may take as JSON: providers refuse larger bodies, however few tokens they have. @default no limit */
  readonly maxViewBytes?: number | undefined;
  /** The most images that the view may show, including those in tool results. @default no limit */
  readonly maxImages?: number | undefined;
  /**
   * The size that a fold aims at, as a share of what is allowed: near 1 for a view that is sent once, as no later turn needs room. No model is
   * asked with a share: its summary would be no longer. @default the policy's own, which leaves room for turns to come
   */
  readonly targetShare?: number | undefined;
  /**
   * Whether the view repairs what providers would refuse in a damaged log: an aborted call, a lost or doubled result, an empty turn. The log
   * itself is never changed. @default true
   */
  readonly repair?: boolean | undefined;
  /**
   * Whether the view counts as a request in the session's statement. Pass false if you report what was sent with `recordRequest`.
   * @default true
   */
  readonly isRequest?: boolean | undefined;
  /**
   * The provider whose own compactions the model can read. In place of any other provider's compaction, the view shows the messages that it
   * stands for. "any" shows all compactions unchanged. @default by the wire of `as`, else by the model's name; "any" for names that tell no provider
   */
  readonly compactionsOf?: CompactionReader | undefined;
}

/** A condensation in the background starts this far before the threshold, as a share of what system prompt and tools leave of the window. */
const BACKGROUND_LEAD_SHARE = 0.1;

const NO_PROGRESS: Progress = { foldIds: [], cost: 0, lostRace: false };

/** Creates the function behind `session.prepare()`: it folds until the view fits, and returns the view. */
export function createPrepare(
  session: LiveSession,
  { background, requests }: { readonly background: Background; readonly requests: RequestKeeper },
): (options: PrepareOptions) => Promise<Prepared> {
  const state: PrepareState = {
    background,
    pointers: createPointerWatch(session),
    notices: createBudgetNotices(session),
    settled: createSettledView(session),
  };
  const ahead = createFoldAhead(session);
  return async (options) => {
    options.signal?.throwIfAborted();
    assertLimits(options);
    assertShare(options);
    // First, so that the totals of past requests are the same for two views of one log.
    requests.preparing();
    await hideCompacted(session, options.compactionsOf ?? compactionReaderOf(session.model().id));
    await session.lookAhead();
    const first = assess(session);
    const { assessment, progress } = await fold(session, first, { state, options });
    await assertFit(session, assessment, progress);
    if (progress.foldIds.length > 0) state.settled.remember(assessment);
    session.meter().sent(assessment);
    const sent = sentView({ first, last: assessment, progress });
    if (options.isRequest === false) requests.lent(sent);
    else requests.prepared(sent);
    session.rent.prepared(session.ports.now());
    ahead.prepared(assessment, progress.foldIds.length > 0);
    return preparedFrom(session, { first, last: assessment, progress, limits: options });
  };
}

/** State that is kept from one prepare to the next. */
interface PrepareState {
  readonly background: Background;
  readonly pointers: PointerWatch;
  readonly notices: BudgetNotices;
  readonly settled: SettledView;
}

interface FoldRequest {
  readonly state: PrepareState;
  readonly options: PrepareOptions;
}

/** Takes the steps that make a view fit, in order. Each does only what the steps before it have left to do. */
async function fold(session: LiveSession, first: Assessment, { state, options }: FoldRequest): Promise<Step> {
  const { background, pointers, notices } = state;
  let step = await applyBackground(session, background, { assessment: first, progress: NO_PROGRESS });
  const isAwaited = background.isRunning() && step.assessment.decision.mustShrink;
  if (isAwaited) {
    await settledOrAborted(background.wait(), options.signal);
    options.signal?.throwIfAborted();
    step = await applyBackground(session, background, step);
  }
  step = { ...step, assessment: assertRoom(session, step.assessment) };
  step = await foldNowOrLater(session, step, { state, options, isAwaited });
  if (step.assessment.decision.mustShrink) step = await foldByOwnCount(session, step, options);
  if (step.assessment.decision.mustShrink) step = await foldWithLeastReserve(session, step, options);
  step = await showPointers(session, pointers, { step, options });
  step = await notices.add(step);
  // Another process may have appended messages meanwhile.
  const { targetShare, signal } = options;
  if (step.assessment.decision.mustShrink) {
    step = await foldUntilFits(session, step, { mayCondense: "locally", targetShare, signal });
  }
  return foldToLimits(session, step, options);
}

/** Folds until the view fits, unless this log was folded already, or a condensation in the background will be done in time. */
async function foldNowOrLater(
  session: LiveSession,
  start: Step,
  { state, options, isAwaited }: FoldRequest & { readonly isAwaited: boolean },
): Promise<Step> {
  const { assessment } = start;
  const settled = state.settled.assessAgain(assessment);
  if (settled !== undefined) {
    logCheck(session, settled, "none");
    return { ...start, assessment: settled };
  }
  if (startBackground(session, state.background, assessment)) return start;
  const { signal, targetShare } = options;
  // A background condensation that was awaited counts as this turn's call of a model.
  const mayCondense = isAwaited || targetShare !== undefined ? "locally" : "yes";
  return foldUntilFits(session, start, { mayCondense, targetShare, signal });
}

/** Remembers what the newest folded view was made from, so that preparing the same log again returns the same view. */
interface SettledView {
  /** An assessment by which the remembered view fits; undefined where the session has changed since, or the view no longer fits. */
  assessAgain(assessment: Assessment): Assessment | undefined;
  /** Remembers the session as it is now, and the reserve of the assessment by which its view fits. */
  remember(assessment: Assessment): void;
}

interface Source {
  readonly log: LogState;
  readonly configuration: ResolvedConfiguration;
  readonly model: SessionModel;
}

interface SettledSource extends Source {
  readonly reserve: Reserve;
}

function createSettledView(session: LiveSession): SettledView {
  const sourceNow = (): Source => {
    return { log: session.log.state(), configuration: session.ports.configuration, model: session.model() };
  };
  let settled: SettledSource | undefined;
  return {
    assessAgain: (assessment) => {
      const { log, configuration, model } = sourceNow();
      if (settled?.log !== log || settled.configuration !== configuration || settled.model !== model) return undefined;
      // A view that was accepted with the least reserve must be judged by it again: folding once more would give other bytes for the same log.
      const { reserve } = settled;
      const again = reserve === assessment.reserve ? assessment : assess(session, { reserve });
      return again.decision.mustShrink ? undefined : again;
    },
    remember: ({ reserve }) => {
      settled = { ...sourceNow(), reserve };
    },
  };
}

function assertShare({ targetShare = 0.5 }: PrepareOptions): void {
  const isShare = typeof targetShare === "number" && targetShare > 0 && targetShare < 1;
  assert(isShare, "options.targetShare", targetShare, "above 0 and below 1");
}

/** Commits the condensation in the background, if it is finished. */
async function applyBackground(session: LiveSession, background: Background, step: Step): Promise<Step> {
  const result = await background.take();
  if (result === undefined) return step;
  const { cost, condenseId } = result;
  const foldIds = condenseId === undefined ? [] : [condenseId];
  return {
    assessment: assess(session),
    progress: addProgress(step.progress, { foldIds, cost, condensed: result, lostRace: false }),
  };
}

/**
 * Starts a condensation in the background if one will soon be needed. True while the view still fits without it: then nothing else must be
 * folded, as that would make the running condensation useless.
 */
function startBackground(session: LiveSession, background: Background, assessment: Assessment): boolean {
  const { strategies } = session.ports.configuration;
  const { prevContextTokens, triggerTokens, overheadTokens, mustShrink, mayCondense } = assessment.decision;
  if (!strategies.background || mustShrink || !mayCondense) return false;
  const leadTokens = BACKGROUND_LEAD_SHARE * (assessment.context.contextWindow - overheadTokens);
  const isNear = prevContextTokens >= triggerTokens - leadTokens;
  const isStarted =
    isNear && !session.backOff.isWaiting(() => assessment.context.messages) && background.start(assessment);
  logCheck(session, assessment, isStarted ? "condense-in-background" : "none");
  return true;
}
