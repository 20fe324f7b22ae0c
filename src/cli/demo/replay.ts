import { createHash } from "node:crypto";
import { PalimpsestError } from "../../core/errors.ts";
import { restoreAllMessages } from "../../core/history/restore.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { FoldKind } from "../../core/message/fold-id.ts";
import type { Message } from "../../core/message/message.ts";
import { validateView } from "../../core/message/validate-view.ts";
import type { Store } from "../../core/ports/store.ts";
import { allowedTokens } from "../../core/tokens/budget.ts";
import { countMessagesTokens, countMessageTokens } from "../../core/tokens/count-messages.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { ledgerCondenser } from "../../engine/condense/ledger-condenser.ts";
import { modelCondenser } from "../../engine/condense/model-condenser.ts";
import type { Configuration } from "../../engine/configuration/configuration.ts";
import { createEngine } from "../../engine/create-engine.ts";
import type { Session } from "../../engine/session/session.ts";
import { type ScriptedModel, scriptedModel } from "./scripted-model.ts";
import { type DemoFact, hiddenFacts } from "./session/demo-facts.ts";

/** The strategies that the demo compares. `summary` and `snapshot` ask a model, `ledger` and `truncation` do not. */
export const STRATEGIES = ["ledger", "summary", "snapshot", "truncation"] as const;

export type Strategy = (typeof STRATEGIES)[number];

export interface ReplayOptions {
  readonly strategy: Strategy;
  readonly contextWindow: number;
  /** The most tokens of a reply. */
  readonly maxTokens: number;
  /** The facts to look for in the view at the end. @default none */
  readonly facts?: readonly DemoFact[];
  /** The store of the session. @default in memory */
  readonly store?: Store | undefined;
}

/** One request to the model. */
export interface ReplayStep {
  readonly strategy: Strategy;
  readonly turn: number;
  readonly turns: number;
  readonly contextWindow: number;
  /** The size of the whole log so far. */
  readonly logTokens: number;
  /** The size of the view before folding; the same as `viewTokens` if nothing was folded. */
  readonly tokensBefore: number;
  readonly viewTokens: number;
  /** The kinds of the folds made for this request, in order. */
  readonly folds: readonly FoldKind[];
  /** Whether the view does not fit. */
  readonly isOverflow: boolean;
  /** Whether a provider would refuse the view. */
  readonly isInvalid: boolean;
}

/** The result of replaying the session with one strategy. */
export type ReplayResult = Readonly<ReturnType<typeof sumOf> & Awaited<ReturnType<typeof resultOf>>> &
  Pick<ReplayStep, "strategy"> & { readonly model: ReturnType<ScriptedModel["used"]> };

/** A replay that has ended; its session is still open, with all its folds. */
export interface Replayed {
  readonly result: ReplayResult;
  readonly session: Session;
}

/** Appends a session message by message and prepares every view that an agent would have sent. */
export async function* replay(
  messages: readonly Message[],
  options: ReplayOptions,
): AsyncGenerator<ReplayStep, Replayed> {
  const { strategy, contextWindow, facts = [] } = options;
  const model = scriptedModel(options);
  const session = await openSession(options, model);
  const turns = messages.filter((message) => message.role === "assistant").length;
  const report = cachingProvider();
  const steps: ReplayStep[] = [];
  let logTokens = 0;
  for (const message of messages) {
    if (message.role === "assistant") {
      const prepared = await prepare(session, allowedTokens(options));
      // A request that does not fit would be refused, and cost nothing.
      if (!prepared.isOverflow) await recordRequest(session, report(await session.view(), message));
      const step = { ...prepared, strategy, turn: steps.length + 1, turns, contextWindow, logTokens };
      steps.push(step);
      yield step;
    }
    await session.append(message);
    logTokens += countMessageTokens(message);
  }
  const result = { strategy, ...sumOf(steps), model: model.used(), ...(await resultOf(session, messages, facts)) };
  return { result, session };
}

/** A model whose tokens we count exactly, so that sizes are exact, and whose prices are in the registry, so that the statement has figures. */
const MODEL_ID = "gpt-6-sol";

/** A fixed share of the window, as the founding agents use: the demo compares how is folded, not when. */
const THRESHOLDS = { global: 75 };

/** Condenses first, so that it can be seen; by default, the engine would fold tool results before. */
const CONDENSE_FIRST: Configuration = {
  thresholds: THRESHOLDS,
  strategies: { primary: "llm" },
  // One result of the session is larger than the window. While it is the newest it stays, and beside it any summary saves little.
  validation: { rules: { minSavingPercent: 10 } },
};

function openSession(options: ReplayOptions, model: ScriptedModel): Promise<Session> {
  const { strategy, contextWindow, maxTokens, store } = options;
  const limits = { model: MODEL_ID, contextWindow, maxTokens, ...(store === undefined ? {} : { store }) };
  // The baseline: the oldest turns are dropped.
  const configuration: Configuration = { thresholds: THRESHOLDS, strategies: { primary: "truncation" } };
  if (strategy === "truncation") return createEngine({ ...limits, configuration }).session("demo");
  const condenser = strategy === "ledger" ? ledgerCondenser() : modelCondenser(model, { strategy });
  return createEngine({ ...limits, configuration: CONDENSE_FIRST, condenser }).session("demo");
}

/** Returns a function that computes a request's usage as a provider with a prompt cache reports it: the prefix shared with the request before is a cache read. */
function cachingProvider(): (view: readonly Message[], reply: Message) => ReportedUsage {
  let previous: readonly string[] = [];
  return (view, reply) => {
    const sent = view.map((message) => JSON.stringify(message));
    const firstDifferent = sent.findIndex((text, index) => text !== previous[index]);
    const shared = firstDifferent < 0 ? sent.length : firstDifferent;
    previous = sent;
    return {
      inputTokens: 0,
      cacheReadTokens: countMessagesTokens(view.slice(0, shared)),
      cacheWriteTokens: countMessagesTokens(view.slice(shared)),
      outputTokens: countMessageTokens(reply),
    };
  };
}

/** Records a request with its body, as a gateway does, so that the dashboard can compare requests. */
async function recordRequest(session: Session, usage: ReportedUsage): Promise<void> {
  session.observe(usage);
  const prompt = await session.prepare({ as: "openai-responses", isRequest: false });
  const bytes = Buffer.from(JSON.stringify({ model: MODEL_ID, ...prompt }));
  await session.recordRequest({ usage, body: { wire: "openai-responses", bytes } });
}

/** Prepares the next view, and measures and checks it independently of the engine. */
async function prepare(session: Session, allowed: number) {
  const tokensBefore = countMessagesTokens(await session.view());
  const prepared = await session.prepare({ isRequest: false }).catch((error: unknown) => {
    // A view that cannot be made to fit is an overflow, not a crash.
    if (error instanceof PalimpsestError && error.code === "cannot-fit") return undefined;
    throw error;
  });
  const view = prepared?.messages ?? (await session.view());
  const viewTokens = countMessagesTokens(view);
  const kinds = new Map((await session.folds()).map((fold) => [fold.foldId, fold.kind]));
  return {
    tokensBefore,
    viewTokens,
    folds: (prepared?.report.foldIds ?? []).flatMap((foldId) => kinds.get(foldId) ?? []),
    isOverflow: prepared === undefined || viewTokens > allowed,
    isInvalid: validateView(view).length > 0,
  };
}

/** The sums of a replay's steps. */
function sumOf(steps: readonly ReplayStep[]) {
  const folds: Partial<Record<FoldKind, number>> = {};
  for (const kind of steps.flatMap((step) => step.folds)) folds[kind] = (folds[kind] ?? 0) + 1;
  return {
    peakViewTokens: Math.max(0, ...steps.map((step) => step.viewTokens)),
    overflows: steps.filter((step) => step.isOverflow).length,
    invalidViews: steps.filter((step) => step.isInvalid).length,
    condensations: folds.condense ?? 0,
    folds,
    /** Sizes of all views that were sent, and of what would have been sent without any fold. */
    sentTokens: steps.reduce((tokens, step) => tokens + step.viewTokens, 0),
    unfoldedTokens: steps.reduce((tokens, step) => tokens + step.logTokens, 0),
    foldedTurns: steps.filter((step) => step.folds.length > 0),
  };
}

/** The state of a session at the end, compared with the messages that were appended. */
async function resultOf(session: Session, messages: readonly Message[], facts: readonly DemoFact[]) {
  const view = await session.view();
  const events = await session.events();
  return {
    refusedCondensations: events.filter((event) => event.type === "condense_failed").length,
    messagesHidden: messages.length - view.filter((message) => !isStandIn(message)).length,
    tokensHidden: countMessagesTokens(messages) - countMessagesTokens(view),
    factsVisible: facts.length - hiddenFacts(facts, view).length,
    ...compareLogs(messages, restoreAllMessages(await session.log())),
  };
}

/** Compares a log with its restored copy: the bytes of messages that differ, and the SHA-256 of both. */
export function compareLogs(original: readonly Message[], restored: readonly Message[]) {
  const before = original.map((message) => JSON.stringify(message));
  const after = restored.map((message) => JSON.stringify(message));
  const lost = before.filter((text, index) => text !== after[index]);
  const bytesLost = lost.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
  const hash = (log: readonly string[]) => createHash("sha256").update(`[${log.join()}]`).digest("hex");
  return { bytesLost, hashBefore: hash(before), hashAfter: hash(after) };
}
