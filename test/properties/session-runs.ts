/** Lives a planned session through, and holds every step of it against what the engine promises. */
import { effectiveView } from "../../src/core/message/effective-view.ts";
import { MIN_CONDENSE_WINDOW } from "../../src/core/policy/will-manage-context.ts";
import { countMessagesTokens } from "../../src/core/tokens/count-messages.ts";
import { countTextTokens } from "../../src/core/tokens/o200k/count-text-tokens.ts";
import { serialize } from "../../src/core/tokens/serialize.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Prepared } from "../../src/engine/session/report.ts";
import { deepFreeze } from "../support/messages.ts";
import { buildEpisode, denseText, type Episode } from "./long-conversations.ts";
import { isPrefix, logBreaches, requestBreaches, restoreBreaches, terminating, viewTokens } from "./promises.ts";
import { checkPrepared, checkRefusal, type Life, offBreaches, type Tally } from "./session-life.ts";
import { type EngineParts, engineOptions, fileBreaches, modelStrategies, type Told } from "./session-parts.ts";
import { LEAST_HONEST_RATIO, type SessionPlan, type Step, type UsagePlan } from "./session-plans.ts";

/** What became of a session. */
export interface SessionRun {
  readonly breaches: readonly string[];
  /** Every view that was given out, as bytes. */
  readonly views: readonly string[];
  /** Every request that a model was sent, as bytes. */
  readonly requests: readonly string[];
  readonly told: Told;
  readonly tally: Tally;
}

export async function runSession(plan: SessionPlan, parts: EngineParts = modelStrategies(plan)): Promise<SessionRun> {
  const told: Told = { hooks: 0, telemetry: 0, lines: 0, files: new Map() };
  const { models } = parts;
  const engine = createEngine(engineOptions(plan, parts, told));
  const systemPrompt = plan.systemTokens === 0 ? "" : denseText(plan.systemTokens);
  const tools = plan.toolTokens === 0 ? [] : [{ name: "read_file", description: denseText(plan.toolTokens, 1) }];
  const life: Life = {
    plan,
    engine,
    session: await engine.session("task", { systemPrompt, tools }),
    overheadTokens: countTextTokens(systemPrompt) + (tools.length === 0 ? 0 : countTextTokens(serialize(tools))),
    requestCount: () => models.reduce((sum, { asked }) => sum + asked.length, 0),
    breaches: [],
    views: [],
    tally: { prepared: 0, refused: 0, condensed: 0, truncated: 0, repeated: 0 },
    original: [],
    turns: 0,
    contextWindow: plan.contextWindow,
    requestsWhenOff: plan.settings.primary === "truncation" ? 0 : undefined,
    lastView: undefined,
    isRewritten: false,
    reports: "none",
  };
  await append(life, plan.opening);
  for (const [index, each] of plan.steps.entries()) {
    const before = life.breaches.length;
    try {
      await terminating(take(life, each));
    } catch (error) {
      life.breaches.push(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
    life.breaches.push(...logBreaches(await life.session.log(), life.original));
    if (life.breaches.length > before) {
      life.breaches.push(`(at step ${index}, ${each.type})`);
      break;
    }
  }
  // Outside of any session, but by the same settings.
  const log = await life.session.log();
  const { messages: condensed } = await terminating(engine.condense({ messages: log, taskId: "apart" }));
  life.breaches.push(...logBreaches(condensed, life.original), ...offBreaches(life, told));
  for (const { asked, contextWindow } of models) life.breaches.push(...requestBreaches(asked, contextWindow));
  life.breaches.push(...restoreBreaches(log, life.original, plan.picks), ...fileBreaches(log, told));
  const events = await life.session.events();
  life.tally.condensed = events.filter((event) => event.type === "condense_context").length;
  life.tally.truncated = events.filter((event) => event.type === "sliding_window_truncation").length;
  const requests = models.flatMap(({ asked }) =>
    asked.map(({ systemPrompt, messages, call }) => JSON.stringify([systemPrompt, messages, call?.maxOutputTokens])),
  );
  const { breaches, views, tally } = life;
  return { breaches, views, requests, told, tally };
}

async function take(life: Life, step: Step): Promise<void> {
  const { session } = life;
  switch (step.type) {
    case "append":
      return append(life, step.episode);
    case "prepare": {
      const first = await prepare(life);
      if (step.isRepeated && first !== undefined) await prepareAgain(life, first);
      return;
    }
    case "prepareWhileAppending": {
      const preparing = prepare(life);
      await append(life, step.episode);
      await preparing;
      return;
    }
    case "observe":
      return observe(life, step.usage);
    case "condense":
      return condense(life);
    case "restore": {
      const folds = await session.folds();
      const fold = folds[step.pick % Math.max(1, folds.length)];
      if (fold === undefined) return;
      await session.restore(fold.foldId);
      life.isRewritten = true;
      return;
    }
    case "useModel": {
      const { maxTokens } = life.plan;
      session.useModel({
        model: "scripted",
        contextWindow: step.contextWindow,
        ...(maxTokens === undefined ? {} : { maxTokens }),
      });
      life.contextWindow = step.contextWindow;
      life.reports = "none";
      return;
    }
    case "switchOff":
      life.engine.configure({ strategies: { primary: "truncation" } });
      life.requestsWhenOff ??= life.requestCount();
      return;
    case "wait":
      await new Promise((resolve) => setImmediate(resolve));
  }
}

async function append(life: Life, episode: Episode): Promise<void> {
  const added = deepFreeze(buildEpisode(episode, { firstTurn: life.turns, labels: life.plan.labels }));
  life.turns += episode.turns.length;
  life.original = [...life.original, ...added];
  await life.session.append(...added);
}

/** Undefined where it was refused, rightly or not. */
async function prepare(life: Life): Promise<Prepared | undefined> {
  const { session, plan, breaches } = life;
  const { maxModelCalls } = plan.settings;
  const requestsBefore = life.requestCount();
  const prepared = await session.prepare().catch(async (error: unknown) => {
    await checkRefusal(life, error);
    return undefined;
  });
  const calls = life.requestCount() - requestsBefore;
  if (calls > maxModelCalls) breaches.push(`bounded: ${calls} model calls in one prepare, ${maxModelCalls} allowed`);
  if (life.contextWindow < MIN_CONDENSE_WINDOW && calls > 0 && !plan.settings.background) {
    breaches.push(`off: a model was asked in a window of ${life.contextWindow}`);
  }
  if (prepared === undefined) {
    life.isRewritten = true;
    life.tally.refused++;
    return undefined;
  }
  life.tally.prepared++;
  checkPrepared(life, prepared);
  life.views.push(JSON.stringify(prepared.messages));
  life.lastView = prepared.messages;
  life.isRewritten = false;
  return prepared;
}

async function prepareAgain(life: Life, first: Prepared): Promise<void> {
  const again = await prepare(life);
  if (again === undefined) {
    life.breaches.push("still: a view was given out, and then refused");
    return;
  }
  // What was under way in the background may have come to its end.
  if (life.plan.settings.background && again.report.foldIds.length > 0) return;
  life.tally.repeated++;
  if (JSON.stringify(first.messages) !== JSON.stringify(again.messages)) {
    life.breaches.push(`still: the same log was prepared differently the second time (${again.report.foldIds})`);
  }
}

async function observe(life: Life, usage: UsagePlan): Promise<void> {
  const { lastView, overheadTokens } = life;
  const truth = overheadTokens + countMessagesTokens(lastView ?? []);
  const inputTokens = usage.type === "lie" ? usage.inputTokens : Math.max(1, Math.round(usage.ratio * truth));
  life.session.observe({ inputTokens });
  life.reports = life.reports === "understate" || inputTokens < LEAST_HONEST_RATIO * truth ? "understate" : "agree";
}

async function condense(life: Life): Promise<void> {
  const { session, breaches, plan } = life;
  const [before, tokensBefore] = [await session.log(), viewTokens(await session.log())];
  const { error, condenseId } = await session.condense();
  const log = await session.log();
  if (error === undefined) {
    life.isRewritten = true;
    if (condenseId === undefined) breaches.push("condense: no error and no condenseId");
    if (viewTokens(log) >= tokensBefore) breaches.push("condense: the view did not become smaller");
  } else if (!plan.settings.background && !isPrefix(effectiveView(before), effectiveView(log))) {
    breaches.push("condense: an error was returned, but the view changed");
  }
}
