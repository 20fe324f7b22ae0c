/** Random operations on a log, as data, and their interpreter. */
import fc from "fast-check";
import { cleanupAfterTruncation } from "../../src/core/history/clean-up.ts";
import { listFolds } from "../../src/core/history/list-folds.ts";
import { restoreMessages } from "../../src/core/history/restore.ts";
import { newFoldId } from "../../src/core/message/fold-id.ts";
import type { CountTokens, Message } from "../../src/core/message/message.ts";
import { clearToolResults } from "../../src/core/truncate/clear-tool-results.ts";
import { dedupeToolResults } from "../../src/core/truncate/dedupe-tool-results.ts";
import { foldToFit } from "../../src/core/truncate/fold-to-fit.ts";
import { measureView } from "../../src/core/truncate/measure-view.ts";
import { truncateConversation } from "../../src/core/truncate/truncate-conversation.ts";
import { truncateToFit } from "../../src/core/truncate/truncate-to-fit.ts";
import { buildTurns, type TurnPlan, turnPlan } from "./conversations.ts";

export type Operation =
  | { readonly type: "truncate"; readonly fracToRemove: number }
  | { readonly type: "truncateToFit"; readonly share: number; readonly keepLast: boolean }
  | { readonly type: "foldToFit"; readonly share: number }
  | { readonly type: "clear"; readonly keepNewest: number; readonly minGainTokens: number }
  | { readonly type: "dedupe"; readonly minGainTokens: number }
  | { readonly type: "condense"; readonly from: number; readonly to: number }
  | { readonly type: "restore"; readonly pick: number }
  | { readonly type: "cleanup" }
  | { readonly type: "reload" }
  | { readonly type: "append"; readonly plan: TurnPlan };

const share = fc.double({ min: 0.05, max: 1, noNaN: true });

export const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ type: fc.constant("truncate" as const), fracToRemove: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ type: fc.constant("truncateToFit" as const), share, keepLast: fc.boolean() }),
  fc.record({ type: fc.constant("foldToFit" as const), share }),
  fc.record({ type: fc.constant("clear" as const), keepNewest: fc.nat(4), minGainTokens: fc.nat(200) }),
  fc.record({ type: fc.constant("dedupe" as const), minGainTokens: fc.nat(200) }),
  fc.record({ type: fc.constant("condense" as const), from: share, to: share }),
  fc.record({ type: fc.constant("restore" as const), pick: fc.nat() }),
  fc.record({ type: fc.constant("cleanup" as const) }),
  fc.record({ type: fc.constant("reload" as const) }),
  fc.record({ type: fc.constant("append" as const), plan: turnPlan }),
);

/** The log under test, and the same log as if nothing had ever been folded. */
export interface World {
  readonly log: readonly Message[];
  readonly original: readonly Message[];
  readonly turns: number;
}

export function startWorld(plans: readonly TurnPlan[]): World {
  const log = buildTurns(plans).flat();
  return { log, original: log, turns: plans.length };
}

export function perform(world: World, each: Operation, countTokens: CountTokens): World {
  const { log } = world;
  const budget = (share: number) => Math.ceil(measureView(log, countTokens).tokens * share);
  const fold = (messages: readonly Message[]): World => ({ ...world, log: messages });
  switch (each.type) {
    case "truncate":
      return fold(truncateConversation(log, each.fracToRemove, "task").messages);
    case "truncateToFit": {
      const selection = each.keepLast ? ({ type: "keepLast", count: 4 } as const) : ({ type: "fraction" } as const);
      return fold(truncateToFit(log, { allowedTokens: budget(each.share), countTokens, selection }).messages);
    }
    case "foldToFit":
      return fold(foldToFit(log, { allowedTokens: budget(each.share), countTokens }).messages);
    case "clear":
      return fold(clearToolResults(log, { ...each, countTokens, taskId: "task" }).messages);
    case "dedupe":
      return fold(dedupeToolResults(log, { ...each, countTokens, taskId: "task" }).messages);
    case "condense":
      return fold(condense(log, each, countTokens));
    case "restore": {
      const folds = listFolds(log);
      const picked = folds[each.pick % Math.max(1, folds.length)];
      return picked === undefined ? world : fold(restoreMessages(log, picked.foldId));
    }
    case "cleanup":
      return fold(cleanupAfterTruncation(log));
    case "reload":
      return fold(JSON.parse(JSON.stringify(log)));
    case "append": {
      const added = buildTurns([each.plan], world.turns).flat();
      return { log: [...log, ...added], original: [...world.original, ...added], turns: world.turns + 1 };
    }
  }
}

/** Hides a span of visible units behind a summary, as any condensing strategy would. */
function condense(
  log: readonly Message[],
  span: { from: number; to: number },
  countTokens: CountTokens,
): readonly Message[] {
  const { entries, units } = measureView(log, countTokens);
  const inner = units.slice(1, -1);
  const [low, high] = [Math.min(span.from, span.to), Math.max(span.from, span.to)];
  const chosen = inner.slice(Math.floor(low * inner.length), Math.ceil(high * inner.length));
  const [first, last] = [chosen[0], chosen.at(-1)];
  if (first === undefined || last === undefined) return log;
  const condenseId = newFoldId("condense", "task", log);
  const hidden = new Set(entries.slice(first.start, last.end).map((entry) => entry.logIndex));
  const insertAt = entries[last.end]?.logIndex ?? log.length;
  const summary: Message = {
    id: condenseId,
    role: "assistant",
    content: "What happened so far.",
    isSummary: true,
    condenseId,
  };
  const tagged = log.map((message, index) =>
    hidden.has(index) ? { ...message, condenseParent: message.condenseParent ?? condenseId } : message,
  );
  return [...tagged.slice(0, insertAt), summary, ...tagged.slice(insertAt)];
}
