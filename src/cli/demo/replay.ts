import { PalimpsestError } from "../../core/errors.ts";
import type { FoldKind } from "../../core/message/fold-id.ts";
import type { Message } from "../../core/message/message.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { allowedTokens } from "../../core/tokens/budget.ts";
import { countMessagesTokens, countMessageTokens } from "../../core/tokens/count-messages.ts";
import type { Session } from "../../engine/session/session.ts";
import { openDemoSession, type Strategy } from "./open-session.ts";
import { type ReplayResult, replayResult } from "./replay-result.ts";
import { scriptedModel } from "./scripted-model.ts";
import type { DemoFact } from "./session/demo-facts.ts";

export interface ReplayOptions {
  readonly strategy: Strategy;
  readonly contextWindow: number;
  /** The reply's allowance. */
  readonly maxTokens: number;
  /** What is looked for in the view at the end. @default none */
  readonly facts?: readonly DemoFact[];
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

/** A replay that has come to its end. */
export interface Replayed {
  readonly result: ReplayResult;
  /** Still open, with all its folds. */
  readonly session: Session;
}

/** Appends a session message by message and prepares every view that an agent would have sent. */
export async function* replay(
  messages: readonly Message[],
  options: ReplayOptions,
): AsyncGenerator<ReplayStep, Replayed> {
  const { strategy, contextWindow, facts = [] } = options;
  const model = scriptedModel(options);
  const session = await openDemoSession(options, model);
  const turns = messages.filter((message) => message.role === "assistant").length;
  const allowed = allowedTokens(options);
  const steps: ReplayStep[] = [];
  let logTokens = 0;
  for (const message of messages) {
    if (message.role === "assistant") {
      const prepared = await prepare(session, allowed);
      const step = { ...prepared, strategy, turn: steps.length + 1, turns, contextWindow, logTokens };
      steps.push(step);
      yield step;
    }
    await session.append(message);
    logTokens += countMessageTokens(message);
  }
  const result = await replayResult({ strategy, messages, steps, facts, session, modelUse: model.used() });
  return { result, session };
}

type PreparedStep = Pick<ReplayStep, "tokensBefore" | "viewTokens" | "folds" | "isOverflow" | "isInvalid">;

/** The next view, measured and checked here and not by the engine. */
async function prepare(session: Session, allowed: number): Promise<PreparedStep> {
  const tokensBefore = countMessagesTokens(await session.view());
  const { view, foldIds, cannotFit } = await nextView(session);
  const viewTokens = countMessagesTokens(view);
  const kinds = new Map((await session.folds()).map((fold) => [fold.foldId, fold.kind]));
  return {
    tokensBefore,
    viewTokens,
    folds: foldIds.flatMap((foldId) => kinds.get(foldId) ?? []),
    isOverflow: cannotFit || viewTokens > allowed,
    isInvalid: validateView(view).length > 0,
  };
}

interface NextView {
  readonly view: readonly Message[];
  readonly foldIds: readonly string[];
  readonly cannotFit: boolean;
}

/** A view that cannot be made to fit is an overflow, not a crash. */
async function nextView(session: Session): Promise<NextView> {
  try {
    const { messages, report } = await session.prepare();
    return { view: messages, foldIds: report.foldIds, cannotFit: false };
  } catch (error) {
    if (!(error instanceof PalimpsestError) || error.code !== "cannot-fit") throw error;
    return { view: await session.view(), foldIds: [], cannotFit: true };
  }
}
