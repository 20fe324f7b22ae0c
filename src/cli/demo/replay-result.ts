import { restoreAllMessages } from "../../core/history/restore.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { FoldKind } from "../../core/message/fold-id.ts";
import type { Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { Session } from "../../engine/session/session.ts";
import { compareLogs, type LogComparison } from "./compare-logs.ts";
import type { Strategy } from "./open-session.ts";
import { hiddenFacts } from "./recall-facts.ts";
import type { ReplayStep } from "./replay.ts";
import type { ModelUse } from "./scripted-model.ts";
import type { DemoFact } from "./session/demo-facts.ts";

/** What one strategy made of the session. */
export interface ReplayResult extends LogComparison {
  readonly strategy: Strategy;
  readonly peakViewTokens: number;
  readonly overflows: number;
  readonly invalidViews: number;
  readonly condensations: number;
  readonly refusedCondensations: number;
  readonly folds: Readonly<Partial<Record<FoldKind, number>>>;
  /** What the condensing model was asked. */
  readonly model: ModelUse;
  /** Sizes of all views that were sent, and of what would have been sent without any fold. */
  readonly sentTokens: number;
  readonly unfoldedTokens: number;
  readonly messagesHidden: number;
  readonly tokensHidden: number;
  readonly factsVisible: number;
  readonly foldedTurns: readonly FoldedTurn[];
}

/** A turn at which something was folded. */
export type FoldedTurn = Pick<ReplayStep, "turn" | "tokensBefore" | "viewTokens" | "folds">;

export interface FinishedReplay {
  readonly strategy: Strategy;
  /** The session as it came in. */
  readonly messages: readonly Message[];
  readonly steps: readonly ReplayStep[];
  readonly facts: readonly DemoFact[];
  readonly session: Session;
  readonly modelUse: ModelUse;
}

/** Adds up a replay that has come to its end. */
export async function replayResult(replayed: FinishedReplay): Promise<ReplayResult> {
  const { strategy, messages, steps, facts, session, modelUse } = replayed;
  const view = await session.view();
  const events = await session.events();
  const kinds = steps.flatMap((step) => step.folds);
  const sizes = steps.map((step) => step.viewTokens);
  return {
    strategy,
    peakViewTokens: Math.max(0, ...sizes),
    overflows: steps.filter((step) => step.isOverflow).length,
    invalidViews: steps.filter((step) => step.isInvalid).length,
    condensations: kinds.filter((kind) => kind === "condense").length,
    refusedCondensations: events.filter((event) => event.type === "condense_failed").length,
    folds: countByKind(kinds),
    model: modelUse,
    sentTokens: sum(sizes),
    unfoldedTokens: sum(steps.map((step) => step.logTokens)),
    messagesHidden: messages.length - view.filter((message) => !isStandIn(message)).length,
    tokensHidden: countMessagesTokens(messages) - countMessagesTokens(view),
    factsVisible: facts.length - hiddenFacts(facts, view).length,
    ...compareLogs(messages, restoreAllMessages(await session.log())),
    foldedTurns: steps.filter((step) => step.folds.length > 0).map(foldedTurn),
  };
}

function foldedTurn({ turn, tokensBefore, viewTokens, folds }: ReplayStep): FoldedTurn {
  return { turn, tokensBefore, viewTokens, folds };
}

function countByKind(kinds: readonly FoldKind[]): Partial<Record<FoldKind, number>> {
  const counts: Partial<Record<FoldKind, number>> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
