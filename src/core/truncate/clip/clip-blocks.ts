import { assertArray, assertNumber, assertObject } from "../../assert.ts";
import { PalimpsestError } from "../../errors.ts";
import { foldBlocks } from "../../message/block-folds.ts";
import { checkMessages } from "../../message/check-messages.ts";
import { renderMessage } from "../../message/effective-view.ts";
import { newFoldId } from "../../message/fold-id.ts";
import type { CountTokens, Message } from "../../message/message.ts";
import type { TextSpan } from "../../standing/standing-part.ts";
import { checkedCounter } from "../../tokens/checked-counter.ts";
import { countBlockTokens } from "../../tokens/count-messages.ts";
import { checkOffload, fileFor, type NamedFile, type OffloadRule } from "../offload.ts";
import { sum } from "../sum.ts";
import type { BlockFoldResult, GainfulRequest } from "../tool-results.ts";
import { blocksOf } from "../trim-units.ts";
import { clipItem } from "./clip-item.ts";
import { shareOut } from "./clip-share.ts";
import { type ClipTarget, findClipTargets, type Resort, type Slot } from "./clip-slots.ts";

export interface ClipBlocksOptions {
  /** The messages to clip, as indexes into the log. */
  readonly messageIndexes: readonly number[];
  /** Which of their blocks may be clipped. @default all */
  readonly isClippable?: (messageIndex: number, blockIndex: number) => boolean;
  /** Parts of a block's text that stay whatever else is cut, in order. @default none */
  readonly keeps?: (messageIndex: number, blockIndex: number) => readonly TextSpan[];
  /** The tokens that the content of these messages may take together, as the view shows it. */
  readonly budgetTokens: number;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string;
  /** Which tool results are moved to files that their notices name, where there is room for the path. @default none */
  readonly offload?: OffloadRule | undefined;
}

export interface ClipResult extends BlockFoldResult {
  /** The tokens that the content of these messages takes now, which may still be more than the budget. */
  readonly tokens: number;
}

/** Items are measured one by one: a counter for which the whole is more than the sum of its parts needs further rounds. */
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
  checkOffload(options.offload);
  const indexes = checkIndexes(messages, options.messageIndexes);
  const foldId = newFoldId("clip", taskId, messages);
  const { isClippable = () => true, keeps = () => [] } = options;
  const targets = indexes.flatMap(([messageIndex, message]) =>
    findClipTargets(message, { messageIndex, countTokens, foldId, isClippable, keeps }),
  );
  const fileOf = ({ messageIndex, blockIndex }: ClipTarget) =>
    fileOfBlock(messages[messageIndex], blockIndex, { rule: options.offload, countTokens });
  const clipTo = (targetTokens: number): ClipResult => {
    const folded = foldTargets(messages, { targets, targetTokens, foldId, fileOf });
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

/** The file for a block; undefined for a resolved pointer too, as it shows the output of another call. */
function fileOfBlock(
  message: Message | undefined,
  blockIndex: number,
  { rule, countTokens }: { readonly rule: OffloadRule | undefined; readonly countTokens: CountTokens },
): NamedFile | undefined {
  const block = message === undefined || rule === undefined ? undefined : blocksOf(message)[blockIndex];
  const isResolved = message?.folds?.some((fold) => fold.kind === "resolve" && fold.blockIndex === blockIndex);
  if (block === undefined || isResolved === true) return undefined;
  return fileFor(block, countBlockTokens(block, countTokens), rule);
}

interface ClipTargetOptions {
  readonly foldId: string;
  readonly fileOf: (target: ClipTarget) => NamedFile | undefined;
}

interface FoldTargetsOptions extends ClipTargetOptions {
  readonly targets: readonly ClipTarget[];
  readonly targetTokens: number;
}

function foldTargets(messages: readonly Message[], options: FoldTargetsOptions): BlockFoldResult {
  const { targets, targetTokens, foldId } = options;
  const frameTokens = sum(targets.map(({ parts }) => parts.frameTokens));
  const slots = targets.flatMap((target) => target.slots);
  const budgets = allot(slots, targetTokens - frameTokens);
  const clipped = targets.flatMap((target) => clipTarget(target, budgets, options) ?? []);
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
  target: ClipTarget,
  budgets: ReadonlyMap<Slot, number>,
  { foldId, fileOf }: ClipTargetOptions,
): GainfulRequest | undefined {
  const { messageIndex, blockIndex, parts, slots } = target;
  if (!slots.some((slot) => budgets.has(slot))) return undefined;
  const file = fileOf(target);
  let namesFile = false;
  const items = slots.map((slot) => {
    const { item, itemTokens: totalTokens, shownTokens, isClipped, keeps } = slot;
    // What an earlier clip hid of this block stays hidden, now by this fold.
    const budgetTokens = budgets.get(slot) ?? (isClipped ? shownTokens : undefined);
    if (budgetTokens === undefined) return item;
    const clip = { budgetTokens, totalTokens, measure: parts.measure, foldId, keeps };
    // The path is left out where the budget has no room for it: the text is worth more.
    const withPath = file === undefined ? undefined : clipItem(item, { ...clip, path: file.path });
    const hasRoom = withPath !== undefined && withPath !== item && parts.measure(withPath) <= budgetTokens;
    namesFile ||= hasRoom;
    return hasRoom ? withPath : clipItem(item, clip);
  });
  const standInTokens = sum(items.map(parts.measure));
  const gainTokens = sum(slots.map((slot) => slot.shownTokens)) - standInTokens;
  const hiddenTokens = sum(slots.map((slot) => slot.itemTokens)) - standInTokens;
  const standIn = parts.assemble(items);
  const request = {
    messageIndex,
    blockIndex,
    standIn,
    hiddenTokens,
    gainTokens,
    file: namesFile ? file?.name : undefined,
  };
  // A small unknown block may grow: it is replaced together with the large ones of its group.
  const isReplaced = slots.some((slot) => slot.resort === "replace-unknown" && budgets.has(slot));
  return gainTokens > 0 || isReplaced ? request : undefined;
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

const LAST_RESORTS: readonly Resort[] = ["replace-image", "replace-unknown", "replace-reasoning"];

/**
 * The token budgets of the slots that are to be made smaller. Small items stay whole; whole blocks are replaced only
 * when clipping all the rest to nothing would not be enough, those first that gain most.
 */
function allot(slots: readonly Slot[], budgetTokens: number): ReadonlyMap<Slot, number> {
  const replaced = chooseReplaced(slots, budgetTokens);
  const wishes = slots.map((slot) => {
    if (replaced.has(slot)) return { least: slot.leastTokens, most: slot.leastTokens };
    return { least: smallest(slot), most: slot.shownTokens };
  });
  const budgets = new Map<Slot, number>();
  for (const [index, share] of shareOut(wishes, budgetTokens).entries()) {
    const slot = slots[index];
    if (slot !== undefined && (replaced.has(slot) || share < slot.shownTokens)) budgets.set(slot, share);
  }
  return budgets;
}

/** The tokens that a slot cannot go below without being replaced. */
function smallest({ resort, leastTokens, shownTokens }: Slot): number {
  return resort === "clip" ? Math.min(leastTokens, shownTokens) : shownTokens;
}

/** The slots that are replaced by a line of text, as clipping alone cannot reach the budget. */
function chooseReplaced(slots: readonly Slot[], budgetTokens: number): ReadonlySet<Slot> {
  let leastTokens = slots.reduce((sum, slot) => sum + smallest(slot), 0);
  const replaced = new Set<Slot>();
  for (const resort of LAST_RESORTS) {
    const groups = groupSlots(slots.filter((slot) => slot.resort === resort));
    for (const { group, gainTokens } of groups.toSorted((a, b) => b.gainTokens - a.gainTokens)) {
      if (leastTokens <= budgetTokens || gainTokens <= 0) break;
      for (const slot of group) replaced.add(slot);
      leastTokens -= gainTokens;
    }
  }
  return replaced;
}

function groupSlots(slots: readonly Slot[]) {
  const groups = new Map<string, Slot[]>();
  for (const slot of slots) {
    const group = groups.get(slot.group);
    if (group === undefined) groups.set(slot.group, [slot]);
    else group.push(slot);
  }
  return [...groups.values()].map((group) => ({
    group,
    gainTokens: group.reduce((sum, slot) => sum + slot.shownTokens - slot.leastTokens, 0),
  }));
}
