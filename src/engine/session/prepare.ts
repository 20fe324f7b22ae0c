import type { Message } from "../../core/message/message.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { ResolvedConfiguration } from "../configuration/configuration.ts";
import type { Background } from "./background.ts";
import { demandFit, demandRoom } from "./cannot-fit.ts";
import { foldOnce, mayTruncate, type Progress } from "./fold-once.ts";
import { type LiveSession, logCheck, look, type Situation } from "./live-session.ts";
import type { Prepared } from "./report.ts";
import type { SessionModel } from "./session-model.ts";
import { settledOrAborted } from "./until-aborted.ts";

export interface PrepareOptions {
  /** When aborted, the promise is rejected with its reason. Folds that were made by then stay. */
  readonly signal?: AbortSignal | undefined;
}

/** Each round folds more; the later ones only matter where the estimate of the one before was wrong. */
const MAX_ROUNDS = 4;
/** How many percent of the window before the threshold a condensation in the background starts. */
const BACKGROUND_LEAD_PERCENT = 10;

/** What a view was made from: the same gives the same view again. */
interface Source {
  readonly messages: readonly Message[];
  readonly configuration: ResolvedConfiguration;
  readonly model: SessionModel;
}

/** Makes a session's view fit, and gives it out. */
export function createPrepare(
  session: LiveSession,
  background: Background,
): (options: PrepareOptions) => Promise<Prepared> {
  /** What the last view that something was folded for was made from. */
  let settled: Source | undefined;

  const source = (): Source => {
    return { messages: session.log.messages(), configuration: session.ports().configuration, model: session.model() };
  };

  function isSettled(): boolean {
    const { messages, configuration, model } = source();
    const isSame = settled?.messages === messages && settled.configuration === configuration && settled.model === model;
    return isSame && !look(session).decision.mustShrink;
  }

  return async ({ signal }) => {
    signal?.throwIfAborted();
    const first = look(session);
    let progress = withCondensation({ foldIds: [], cost: 0 }, background.take());
    const isAwaited = background.isRunning() && look(session).decision.mustShrink;
    if (isAwaited) {
      await settledOrAborted(background.wait(), signal);
      signal?.throwIfAborted();
      progress = withCondensation(progress, background.take());
    }
    demandRoom(session, first);
    if (isSettled()) logCheck(session, look(session), "none");
    else if (!startAhead(session, background)) {
      // The one that was awaited has used up what this turn may ask of a model.
      progress = await foldUntilFits(session, progress, { mayCondense: !isAwaited, signal });
    }
    const last = look(session);
    demandFit(session, last, progress);
    if (progress.foldIds.length > 0) settled = source();
    session.meter().sent({ view: last.view, viewTokens: session.log.viewTokens() });
    return preparedFrom(session, { first, last, progress });
  };
}

function withCondensation(progress: Progress, result: CondensationResult | undefined): Progress {
  if (result === undefined) return progress;
  const { error, cost, condenseId } = result;
  return add(progress, { foldIds: condenseId === undefined ? [] : [condenseId], cost, condensed: { error } });
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
function startAhead(session: LiveSession, background: Background): boolean {
  const situation = look(session);
  const { strategies } = session.ports().configuration;
  const { usedPercent, thresholdPercent, mustShrink, mayCondense } = situation.decision;
  if (!strategies.background || mustShrink || !mayCondense) return false;
  const isNear = usedPercent >= thresholdPercent - BACKGROUND_LEAD_PERCENT;
  const isStarted = isNear && !background.isRunning() && !session.backOff.isWaiting(situation.context.messages);
  logCheck(session, situation, isStarted ? "condense-in-background" : "none");
  if (isStarted) background.start(situation);
  return true;
}

interface FoldUntilOptions {
  readonly mayCondense: boolean;
  readonly signal: AbortSignal | undefined;
}

async function foldUntilFits(
  session: LiveSession,
  start: Progress,
  { mayCondense, signal }: FoldUntilOptions,
): Promise<Progress> {
  let progress = start;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const situation = look(session);
    const { mustShrink } = situation.decision;
    if (round > 0 && !mustShrink) break;
    const isAllowed = mayCondense && round === 0 && !isWaiting(session, situation);
    const step = await foldOnce(session, situation, { mayCondense: isAllowed, signal });
    progress = add(progress, step);
    // Nothing more can go. Where a report said how large the prompt is, our own count has the last word.
    if (step.foldIds.length === 0 && !(mustShrink && session.meter().rewritten())) break;
  }
  return progress;
}

/** Whether a failure is too recent to try again; where nothing but a summary can help, it never is. */
function isWaiting(session: LiveSession, { decision, context }: Situation): boolean {
  const isOnlyWay = decision.mustShrink && !mayTruncate(session);
  return !isOnlyWay && session.backOff.isWaiting(context.messages);
}

interface Findings {
  readonly first: Situation;
  readonly last: Situation;
  readonly progress: Progress;
}

function preparedFrom(session: LiveSession, { first, last, progress }: Findings): Prepared {
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
      warnings: [...(decision.warning === undefined ? [] : [decision.warning]), ...unusedPrompts(session)],
    },
  };
}

/** A prompt for a strategy that does not exist was meant for another: it must not be ignored in silence. */
function unusedPrompts(session: LiveSession): readonly string[] {
  const { configuration, plugins } = session.ports();
  const names = plugins.list().map((plugin) => plugin.name);
  return Object.keys(configuration.strategies.customPrompts)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const known = names.length === 0 ? "there is none" : `there is ${names.join(", ")}`;
      return `strategies.customPrompts names ${JSON.stringify(name)}, but no strategy is called that; ${known}.`;
    });
}
