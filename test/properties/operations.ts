/** Random operations on a log, as data, and their interpreter. */
import fc from "fast-check";
import { cleanupAfterTruncation } from "../../src/core/history/clean-up.ts";
import { listFolds } from "../../src/core/history/list-folds.ts";
import { restoreMessages } from "../../src/core/history/restore.ts";
import { restoreSpan } from "../../src/core/history/restore-span.ts";
import { collectStandIns, effectiveView, isHidden } from "../../src/core/message/effective-view.ts";
import { newFoldId } from "../../src/core/message/fold-id.ts";
import type { Content, Message } from "../../src/core/message/message.ts";
import { detectUnits } from "../../src/core/message/units.ts";
import { countMessagesTokens } from "../../src/core/tokens/count-messages.ts";
import { clearToolResults } from "../../src/core/truncate/clear-tool-results.ts";
import { clipBlocks } from "../../src/core/truncate/clip/clip-blocks.ts";
import { dedupeToolResults } from "../../src/core/truncate/dedupe-tool-results.ts";
import { foldToFit } from "../../src/core/truncate/fold-to-fit.ts";
import { truncateConversation } from "../../src/core/truncate/truncate-conversation.ts";
import { truncateToFit } from "../../src/core/truncate/truncate-to-fit.ts";
import { buildTurns, type ConversationPlan, type Labels, type TurnPlan, turnPlan } from "./conversations.ts";

/** Cheap, and as sensitive to every byte as a real counter. */
export function countCharacters(content: Content): number {
  return Math.ceil((typeof content === "string" ? content : JSON.stringify(content)).length / 4);
}

/** Operations of our own that hide something, or find nothing to hide. */
export type Folding =
  | { readonly type: "truncate"; readonly fracToRemove: number }
  | ({ readonly type: "truncateToFit"; readonly keepLast: boolean } & Shares)
  | ({ readonly type: "foldToFit" } & Shares)
  | { readonly type: "clear"; readonly keepNewest: number; readonly minGainTokens: number }
  | { readonly type: "dedupe"; readonly minGainTokens: number }
  /** Of any messages in the view, stand-ins too. */
  | { readonly type: "clip"; readonly from: number; readonly count: number; readonly budgetTokens: number };

/** Budgets, as shares of the view's size. */
interface Shares {
  readonly allowed: number;
  readonly target: number | undefined;
}

export type Operation =
  | Folding
  | { readonly type: "condense"; readonly from: number; readonly to: number; readonly summary: string }
  | { readonly type: "restore"; readonly pick: number }
  /** Of any messages that were said. */
  | { readonly type: "restoreSpan"; readonly from: number; readonly count: number }
  | { readonly type: "cleanup" }
  | { readonly type: "reload" }
  | { readonly type: "append"; readonly plan: TurnPlan };

const share = fc.double({ min: 0.05, max: 1, noNaN: true });
const shares = {
  allowed: fc.double({ min: 0.05, max: 1.1, noNaN: true }),
  target: fc.option(fc.double({ min: -0.1, max: 1.3, noNaN: true }), { nil: undefined }),
};

export const folding: fc.Arbitrary<Folding> = fc.oneof(
  fc.record({ type: fc.constant("truncate" as const), fracToRemove: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ type: fc.constant("truncateToFit" as const), ...shares, keepLast: fc.boolean() }),
  fc.record({ type: fc.constant("foldToFit" as const), ...shares }),
  fc.record({ type: fc.constant("clear" as const), keepNewest: fc.nat(4), minGainTokens: fc.nat(200) }),
  fc.record({ type: fc.constant("dedupe" as const), minGainTokens: fc.nat(200) }),
  fc.record({ type: fc.constant("clip" as const), from: fc.nat(60), count: fc.nat(5), budgetTokens: fc.nat(1_500) }),
);

// A long summary may be clipped in its turn.
const summary = fc.constantFrom("What happened so far.", "It went on and on. ".repeat(120).trim());

export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 5, arbitrary: folding },
  fc.record({ type: fc.constant("condense" as const), from: share, to: share, summary }),
  fc.record({ type: fc.constant("restore" as const), pick: fc.nat() }),
  fc.record({ type: fc.constant("restoreSpan" as const), from: fc.nat(60), count: fc.nat(6) }),
  fc.record({ type: fc.constant("cleanup" as const) }),
  fc.record({ type: fc.constant("reload" as const) }),
  fc.record({ type: fc.constant("append" as const), plan: turnPlan }),
);

/** The log under test, and the same log as if nothing had ever been folded. */
export interface World {
  readonly log: readonly Message[];
  readonly original: readonly Message[];
  readonly turns: number;
  readonly labels: Labels;
}

export function startWorld(plan: ConversationPlan): World {
  const log = buildTurns(plan);
  return { log, original: log, turns: plan.turns.length, labels: plan.labels };
}

/** The world after all of the operations. */
export function performAll(plan: ConversationPlan, operations: readonly Operation[]): World {
  return operations.reduce(perform, startWorld(plan));
}

/** Every message of the span is visible then, whatever hid it. */
function restoreSome(
  log: readonly Message[],
  original: readonly Message[],
  { from, count }: { readonly from: number; readonly count: number },
): readonly Message[] {
  const ids = original.slice(from, from + count + 1).flatMap(({ id }) => id ?? []);
  const [first, last] = [ids[0], ids.at(-1)];
  if (first === undefined || last === undefined) return log;
  const restored = restoreSpan(log, { from: first, to: last });
  const visible = new Set(effectiveView(restored).map(({ id }) => id));
  const missing = ids.find((id) => !visible.has(id));
  if (missing !== undefined) throw new Error(`${missing} is still hidden`);
  return restored;
}

export function perform(world: World, each: Operation): World {
  const { log } = world;
  switch (each.type) {
    case "condense":
      return { ...world, log: condense(log, each) };
    case "restore": {
      const folds = listFolds(log);
      const picked = folds[each.pick % Math.max(1, folds.length)];
      return picked === undefined ? world : { ...world, log: restoreMessages(log, picked.foldId) };
    }
    case "restoreSpan":
      return { ...world, log: restoreSome(log, world.original, each) };
    case "cleanup":
      return { ...world, log: cleanupAfterTruncation(log) };
    case "reload":
      return { ...world, log: JSON.parse(JSON.stringify(log)) };
    case "append": {
      const added = buildTurns({ turns: [each.plan], labels: world.labels }, world.turns);
      return { ...world, log: [...log, ...added], original: [...world.original, ...added], turns: world.turns + 1 };
    }
    case "truncate":
    case "truncateToFit":
    case "foldToFit":
    case "clear":
    case "dedupe":
    case "clip":
      return { ...world, log: fold(log, each).messages };
  }
}

/** What came of it, in the same words for all. */
export interface Folded {
  readonly messages: readonly Message[];
  readonly foldIds: readonly string[];
}

export function fold(log: readonly Message[], each: Folding): Folded {
  const shared = { countTokens: countCharacters, taskId: "task" };
  switch (each.type) {
    case "truncate": {
      const { messages, truncationId } = truncateConversation(log, each.fracToRemove, shared.taskId);
      return { messages, foldIds: truncationId === undefined ? [] : [truncationId] };
    }
    case "truncateToFit": {
      const selection = each.keepLast ? ({ type: "keepLast", count: 4 } as const) : ({ type: "fraction" } as const);
      return truncateToFit(log, { ...shared, ...budgets(log, each), selection });
    }
    case "foldToFit":
      return foldToFit(log, { ...shared, ...budgets(log, each) });
    case "clear":
      return named(clearToolResults(log, { ...shared, ...each }));
    case "dedupe":
      return named(dedupeToolResults(log, { ...shared, ...each }));
    case "clip": {
      const visible = visibleIndexes(log);
      const messageIndexes = visible.slice(each.from % visible.length).slice(0, each.count);
      return named(clipBlocks(log, { ...shared, messageIndexes, budgetTokens: each.budgetTokens }));
    }
  }
}

function named({ messages, foldId }: { messages: readonly Message[]; foldId?: string }): Folded {
  return { messages, foldIds: foldId === undefined ? [] : [foldId] };
}

function budgets(log: readonly Message[], { allowed, target }: Shares) {
  const tokens = countMessagesTokens(effectiveView(log), countCharacters);
  return {
    allowedTokens: Math.ceil(tokens * allowed),
    ...(target === undefined ? {} : { targetTokens: Math.ceil(tokens * target) }),
  };
}

/** Hides a span of visible units behind a summary, as any condensing strategy would. */
function condense(
  log: readonly Message[],
  { from, to, summary }: { readonly from: number; readonly to: number; readonly summary: string },
): readonly Message[] {
  const visible = visibleIndexes(log);
  const inner = detectUnits(visible.flatMap((index) => log[index] ?? [])).slice(1, -1);
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  const chosen = inner.slice(Math.floor(low * inner.length), Math.ceil(high * inner.length));
  const [first, last] = [chosen[0], chosen.at(-1)];
  if (first === undefined || last === undefined) return log;
  const condenseId = newFoldId("condense", "task", log);
  const hidden = new Set(visible.slice(first.start, last.end));
  const insertAt = visible[last.end] ?? log.length;
  const standIn: Message = { id: condenseId, role: "assistant", content: summary, isSummary: true, condenseId };
  const tagged = log.map((message, index) =>
    hidden.has(index) ? { ...message, condenseParent: message.condenseParent ?? condenseId } : message,
  );
  return [...tagged.slice(0, insertAt), standIn, ...tagged.slice(insertAt)];
}

function visibleIndexes(log: readonly Message[]): readonly number[] {
  const standIns = collectStandIns(log);
  return [...log.entries()].flatMap(([index, message]) => (isHidden(message, standIns) ? [] : [index]));
}
