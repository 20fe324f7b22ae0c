import { PalimpsestError } from "../../core/errors.ts";
import type { Message } from "../../core/message/message.ts";
import { planManagement } from "../../core/policy/plan-management.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { TruncationSelection } from "../../core/truncate/fit-options.ts";
import { type PlanOutcome, runPlan } from "../pipeline/run-plan.ts";
import type { Background } from "./background.ts";
import { condenseMessages, type LiveSession, look, recordCondensation, type Situation } from "./live-session.ts";
import type { Prepared } from "./report.ts";

/** Each round folds more; the later ones only matter where the estimate of the one before was wrong. */
const MAX_ROUNDS = 3;
/** How many percent of the window before the threshold a condensation in the background starts. */
const BACKGROUND_LEAD_PERCENT = 10;
const OLDEST: TruncationSelection = { type: "oldest" };

/** What has been done so far for one view. */
interface Progress {
  readonly foldIds: readonly string[];
  readonly cost: number;
  readonly error?: string;
}

/** Makes the session's view fit, and gives it out. */
export async function prepareView(session: LiveSession, background: Background): Promise<Prepared> {
  let progress = withCondensation({ foldIds: [], cost: 0 }, background.take());
  const first = look(session);
  if (first.decision.mustShrink && background.isRunning()) {
    await background.wait();
    progress = withCondensation(progress, background.take());
  }
  let situation = look(session);
  const isAhead = startAhead(session, background, situation);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // In the background mode nothing else is folded before the limit: it would undo what is under way.
    if (isAhead || (round > 0 && !situation.decision.mustShrink)) break;
    const mayCondense = round === 0 && !session.backOff.isWaiting(situation.context.messages);
    const next = await foldOnce(session, situation, { mayCondense, progress });
    const isStuck = next.foldIds.length === progress.foldIds.length;
    progress = next;
    situation = look(session);
    if (isStuck) break;
  }
  demandFit(session, situation, progress);
  session.meter().sent(situation.view);
  return preparedFrom(first, situation, progress);
}

function withCondensation(progress: Progress, result: CondensationResult | undefined): Progress {
  if (result === undefined) return progress;
  const { error, cost, condenseId } = result;
  return {
    foldIds: condenseId === undefined ? progress.foldIds : [...progress.foldIds, condenseId],
    cost: progress.cost + cost,
    ...(error === undefined ? {} : { error }),
  };
}

/** Starts a condensation in the background where one will soon be needed; true while there is time to wait for it. */
function startAhead(session: LiveSession, background: Background, situation: Situation): boolean {
  const { strategies } = session.ports().configuration;
  const { usedPercent, thresholdPercent, mustShrink, mayCondense } = situation.decision;
  if (!strategies.background || mustShrink || !mayCondense) return false;
  const isNear = usedPercent >= thresholdPercent - BACKGROUND_LEAD_PERCENT;
  if (isNear && !session.backOff.isWaiting(situation.context.messages)) background.start(situation);
  return true;
}

interface FoldOptions {
  readonly mayCondense: boolean;
  readonly progress: Progress;
}

/** Plans, runs and commits once. */
async function foldOnce(session: LiveSession, situation: Situation, { mayCondense, progress }: FoldOptions) {
  const { log, id } = session;
  const { decision, context, view } = situation;
  const { configuration, resolvers, monitor } = session.ports();
  const { primary, fallback } = configuration.strategies;
  const mayTruncate = fallback === "truncation" || primary === "truncation";
  const plan = planManagement(
    { ...decision, shouldCondense: decision.shouldCondense && mayCondense },
    {
      foldsToolResults: primary === "hybrid",
      selection: mayTruncate ? (resolvers.truncationSelection(context) ?? OLDEST) : undefined,
    },
  );
  monitor.checked({
    taskId: id,
    prevContextTokens: context.prevContextTokens,
    contextWindow: context.contextWindow,
    messageCount: view.length,
    action: plan.type === "fits" ? "none" : plan.rungs.map((rung) => rung.type).join("+"),
  });
  if (plan.type === "fits") return progress;
  const base = log.state();
  const outcome = await runPlan(plan, {
    messages: base.messages,
    taskId: id,
    promptTokens: context.prevContextTokens,
    gauge: session.meter().gauge(view, log.viewTokens()),
    condense: (messages, prevContextTokens) =>
      condenseMessages(session, { messages, context: { ...context, prevContextTokens } }),
  });
  if (outcome.messages !== base.messages && log.commit(base, outcome.messages)) session.meter().rewritten();
  recordOutcome(session, situation, { outcome, base: base.messages });
  const { foldIds, condensation } = outcome;
  const { cost = 0, error } = condensation ?? {};
  return {
    foldIds: [...progress.foldIds, ...foldIds],
    cost: progress.cost + cost,
    ...(error === undefined ? {} : { error }),
  };
}

function recordOutcome(
  session: LiveSession,
  { context }: Situation,
  { outcome, base }: { readonly outcome: PlanOutcome; readonly base: readonly Message[] },
): void {
  const { condensation, truncation, foldIds, promptTokens: newContextTokens } = outcome;
  const { monitor, now } = session.ports();
  const { prevContextTokens, taskId } = context;
  const at = now();
  if (condensation !== undefined) recordCondensation(session, base, { result: condensation, context });
  if (truncation !== undefined) {
    const { error } = condensation ?? {};
    monitor.fellBack({ taskId, prevContextTokens, ...(error === undefined ? {} : { error }) });
  }
  const { truncationId, messagesRemoved = 0 } = truncation ?? {};
  if (truncationId !== undefined) {
    session.record({
      type: "sliding_window_truncation",
      at,
      truncationId,
      messagesRemoved,
      prevContextTokens,
      newContextTokens,
    });
  }
  const others = foldIds.filter((id) => id !== truncationId && id !== condensation?.condenseId);
  if (others.length > 0) {
    session.record({ type: "blocks_folded", at, foldIds: others, prevContextTokens, newContextTokens });
  }
}

/** What cannot be folded does not become smaller: then a clear error is all that is left. */
function demandFit(session: LiveSession, { decision, context, view }: Situation, { error }: Progress): void {
  if (!decision.mustShrink) return;
  const { overheadTokens } = session.meter().gauge(view, session.log.viewTokens());
  const limits = `The prompt has ${context.prevContextTokens} tokens and may have ${Math.floor(decision.allowedTokens)}.`;
  const { fallback, primary } = session.ports().configuration.strategies;
  if (fallback === "error" && primary !== "truncation") {
    throw new PalimpsestError(
      "cannot-fit",
      `${limits} Condensing did not help (${error ?? "it was not tried"}), and strategies.fallback is "error". ` +
        'Set it to "truncation", or free some room by hand.',
    );
  }
  throw new PalimpsestError(
    "cannot-fit",
    `${limits} System prompt and tools take ${overheadTokens} of them and cannot be folded. ` +
      "Shorten them, lower maxTokens, or use a model with a larger window.",
  );
}

function preparedFrom(first: Situation, { view, context, decision }: Situation, progress: Progress): Prepared {
  const { foldIds, cost, error } = progress;
  const { warning } = decision;
  return {
    messages: view,
    report: {
      promptTokens: context.prevContextTokens,
      prevContextTokens: first.context.prevContextTokens,
      contextWindow: context.contextWindow,
      allowedTokens: decision.allowedTokens,
      usedPercent: first.context.usedPercent,
      foldIds,
      cost,
      ...(error === undefined ? {} : { error }),
      warnings: warning === undefined ? [] : [warning],
    },
  };
}
