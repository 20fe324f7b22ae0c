import { assertArray, assertNumber, assertObject } from "../../assert.ts";
import { PalimpsestError } from "../../errors.ts";
import { foldBlocks } from "../../message/block-folds.ts";
import { checkMessages } from "../../message/check-messages.ts";
import { renderMessage } from "../../message/effective-view.ts";
import { newFoldId } from "../../message/fold-id.ts";
import type { CountTokens, Message } from "../../message/message.ts";
import type { TextSpan } from "../../standing/standing-part.ts";
import { checkedCounter } from "../../tokens/checked-counter.ts";
import type { BlockFoldResult, GainfulRequest } from "../tool-results.ts";
import { allot } from "./clip-allot.ts";
import { clipItem } from "./clip-item.ts";
import { type ClipTarget, findClipTargets, type Slot } from "./clip-slots.ts";

export interface ClipBlocksOptions {
  /** The messages to clip, as indexes into the log. */
  readonly messageIndexes: readonly number[];
  /** Which of their blocks may be clipped. @default all */
  readonly isClippable?: (messageIndex: number, blockIndex: number) => boolean;
  /** Parts of a block's text that stay whatever else goes, in order. @default none */
  readonly keeps?: (messageIndex: number, blockIndex: number) => readonly TextSpan[];
  /** What their content may take together, as the view shows it. */
  readonly budgetTokens: number;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string;
}

export interface ClipResult extends BlockFoldResult {
  /** What the content of these messages takes now, also where that is more than the budget. */
  readonly tokens: number;
}

/** Items are measured one by one; a counter for which the whole is more than its parts needs another round. */
const MAX_ROUNDS = 5;

/**
 * Shows the oversized blocks of some messages by head and tail, so that their content fits the budget together; small
 * blocks stay whole. Fits whenever the budget has room for a stub of about 40 tokens, and its ids, for each block.
 *
 * Images, unknown blocks and reasoning, in this order, are replaced by a line of text only when nothing else suffices.
 * A block clipped before is clipped again from its original.
 * @example
 * ```ts
 * import { clipBlocks, countMessagesTokens, getEffectiveApiHistory } from "palimpsest/core";
 * const log = [{ role: "user", content: "one of many lines\n".repeat(2_000) }] as const;
 * const { messages } = clipBlocks(log, { messageIndexes: [0], budgetTokens: 500 });
 * console.log(countMessagesTokens(getEffectiveApiHistory(messages)) <= 500); // true
 * ```
 */
export function clipBlocks(messages: readonly Message[], options: ClipBlocksOptions): ClipResult {
  checkMessages(messages);
  assertObject("options", options);
  const { budgetTokens, taskId = "" } = options;
  const countTokens = checkedCounter(options.countTokens);
  assertNumber("budgetTokens", budgetTokens);
  assertArray("messageIndexes", options.messageIndexes);
  const indexes = checkIndexes(messages, options.messageIndexes);
  const foldId = newFoldId("clip", taskId, messages);
  const { isClippable = () => true, keeps = () => [] } = options;
  const targets = indexes.flatMap(([messageIndex, message]) =>
    findClipTargets(message, { messageIndex, countTokens, foldId, isClippable, keeps }),
  );
  const clipTo = (targetTokens: number): ClipResult => {
    const folded = foldTargets(messages, { targets, targetTokens, foldId });
    const contents = indexes.map(([index, message]) => renderMessage(folded.messages[index] ?? message).content);
    return { ...folded, tokens: sum(contents.map(countTokens)) };
  };

  let targetTokens = budgetTokens;
  let best = clipTo(targetTokens);
  for (let round = 1; round < MAX_ROUNDS && best.tokens > budgetTokens; round++) {
    targetTokens -= best.tokens - budgetTokens;
    const attempt = clipTo(targetTokens);
    if (!(attempt.tokens < best.tokens)) break;
    best = attempt;
  }
  return best;
}

interface FoldTargetsOptions {
  readonly targets: readonly ClipTarget[];
  readonly targetTokens: number;
  readonly foldId: string;
}

function foldTargets(messages: readonly Message[], options: FoldTargetsOptions): BlockFoldResult {
  const { targets, targetTokens, foldId } = options;
  const frameTokens = sum(targets.map(({ parts }) => parts.frameTokens));
  const slots = targets.flatMap((target) => target.slots);
  const budgets = allot(slots, targetTokens - frameTokens);
  const clipped = targets.flatMap((target) => clipTarget(target, budgets, foldId) ?? []);
  if (clipped.length === 0) return { messages, blocks: 0, gainTokens: 0 };
  return {
    messages: foldBlocks(messages, { foldId, kind: "clip" }, clipped),
    foldId,
    blocks: clipped.length,
    gainTokens: sum(clipped.map(({ gainTokens }) => gainTokens)),
  };
}

/** The stand-in of a block within the budgets of its slots; undefined where that would not make it smaller. */
function clipTarget(
  { messageIndex, blockIndex, parts, slots }: ClipTarget,
  budgets: ReadonlyMap<Slot, number>,
  foldId: string,
): GainfulRequest | undefined {
  if (!slots.some((slot) => budgets.has(slot))) return undefined;
  const items = slots.map((slot) => {
    const { item, itemTokens: totalTokens, shownTokens, isClipped, keeps } = slot;
    // What an earlier clip hides of this block stays hidden, under the name of this fold.
    const budgetTokens = budgets.get(slot) ?? (isClipped ? shownTokens : undefined);
    return budgetTokens === undefined
      ? item
      : clipItem(item, { budgetTokens, totalTokens, measure: parts.measure, foldId, keeps });
  });
  const standInTokens = sum(items.map(parts.measure));
  const gainTokens = sum(slots.map((slot) => slot.shownTokens)) - standInTokens;
  const hiddenTokens = sum(slots.map((slot) => slot.itemTokens)) - standInTokens;
  const request = { messageIndex, blockIndex, standIn: parts.assemble(items), hiddenTokens, gainTokens };
  // A small unknown block may grow by it: it goes with the large ones of its group.
  const isReplaced = slots.some((slot) => slot.resort === "replace-unknown" && budgets.has(slot));
  return gainTokens > 0 || isReplaced ? request : undefined;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function checkIndexes(
  messages: readonly Message[],
  indexes: readonly number[],
): readonly (readonly [number, Message])[] {
  return [...new Set(indexes)].map((index) => {
    const message = typeof index === "number" ? messages[index] : undefined;
    if (message !== undefined) return [index, message];
    throw new PalimpsestError(
      "invalid-argument",
      `messageIndexes holds ${index}, but the log has ${messages.length} messages.`,
    );
  });
}
