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

/** How the demo makes views smaller: `summary` and `snapshot` ask a model, `ledger` and `truncation` ask none. */
export const STRATEGIES = ["ledger", "summary", "snapshot", "truncation"] as const;

export type Strategy = (typeof STRATEGIES)[number];

export interface ReplayOptions {
  readonly strategy: Strategy;
  readonly contextWindow: number;
  /** The reply's allowance. */
  readonly maxTokens: number;
  /** What is looked for in the view at the end. @default none */
  readonly facts?: readonly DemoFact[];
  /** Where the session is kept. @default in memory */
  readonly store?: Store | undefined;
}

/** One request to the model. */
export interface ReplayStep {
  readonly strategy: Strategy;
  readonly turn: number;
  readonly turns: number;
  readonly contextWindow: number;
  /** Size of all that was said so far. */
  readonly logTokens: number;
  /** Size of the view before folding; the same as `viewTokens` when nothing had to be folded. */
  readonly tokensBefore: number;
  readonly viewTokens: number;
  /** Kinds of the folds made for this request, in order. */
  readonly folds: readonly FoldKind[];
  /** The view does not fit, or a provider would refuse it. */
  readonly isOverflow: boolean;
  readonly isInvalid: boolean;
}

/** What one strategy made of the session. */
export type ReplayResult = Readonly<ReturnType<typeof sumOf> & Awaited<ReturnType<typeof resultOf>>> &
  Pick<ReplayStep, "strategy"> & { readonly model: ReturnType<ScriptedModel["used"]> };

/** A replay that has come to its end; the session is still open, with all its folds. */
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
      // What does not fit would be refused, and cost nothing.
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

/** Its tokens are those that we count, so sizes are exact; its prices are in the registry, so the statement has figures. */
const MODEL_ID = "gpt-6-sol";

/** A share of the window, as founding agents have it: the demo compares strategies, not moments. */
const THRESHOLDS = { global: 75 };

/** Condensing comes first here, so that it can be seen; by default the engine would fold tool results before. */
const CONDENSE_FIRST: Configuration = {
  thresholds: THRESHOLDS,
  strategies: { primary: "llm" },
  // One result of the session is larger than the window, and stays where it is the newest: beside it, any summary saves little.
  validation: { rules: { minSavingPercent: 10 } },
};

function openSession(options: ReplayOptions, model: ScriptedModel): Promise<Session> {
  const { strategy, contextWindow, maxTokens, store } = options;
  const limits = { model: MODEL_ID, contextWindow, maxTokens, ...(store === undefined ? {} : { store }) };
  // What the others are compared with: the oldest turns go.
  const configuration: Configuration = { thresholds: THRESHOLDS, strategies: { primary: "truncation" } };
  if (strategy === "truncation") return createEngine({ ...limits, configuration }).session("demo");
  const condenser = strategy === "ledger" ? ledgerCondenser() : modelCondenser(model, { strategy });
  return createEngine({ ...limits, configuration: CONDENSE_FIRST, condenser }).session("demo");
}

/** The usage that a provider with a prompt cache reports: the messages that a prompt shares with the one before, from the first on, are read from it. */
function cachingProvider(): (view: readonly Message[], reply: Message) => ReportedUsage {
  let before: readonly string[] = [];
  return (view, reply) => {
    const sent = view.map((message) => JSON.stringify(message));
    const parting = sent.findIndex((text, index) => text !== before[index]);
    const shared = parting < 0 ? sent.length : parting;
    before = sent;
    return {
      inputTokens: 0,
      cacheReadTokens: countMessagesTokens(view.slice(0, shared)),
      cacheWriteTokens: countMessagesTokens(view.slice(shared)),
      outputTokens: countMessageTokens(reply),
    };
  };
}

/** As a gateway does it: with its body, so that requests can be compared. */
async function recordRequest(session: Session, usage: ReportedUsage): Promise<void> {
  session.observe(usage);
  const prompt = await session.prepare({ as: "openai-responses", isRequest: false });
  const bytes = Buffer.from(JSON.stringify({ model: MODEL_ID, ...prompt }));
  await session.recordRequest({ usage, body: { wire: "openai-responses", bytes } });
}

/** The next view, measured and checked here and not by the engine. */
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

/** What the steps of a replay come to. */
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

/** What a session looks like in the end, compared with the messages that came in. */
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

/** Whether a log came back as it was: bytes of messages that did not, and SHA-256 of what came in and what came back. */
export function compareLogs(original: readonly Message[], restored: readonly Message[]) {
  const before = original.map((message) => JSON.stringify(message));
  const after = restored.map((message) => JSON.stringify(message));
  const lost = before.filter((text, index) => text !== after[index]);
  const bytesLost = lost.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
  const hash = (log: readonly string[]) => createHash("sha256").update(`[${log.join()}]`).digest("hex");
  return { bytesLost, hashBefore: hash(before), hashAfter: hash(after) };
}
