import { hidingFolds } from "../../message/block-folds.ts";
import { isCompactionBlock } from "../../message/compaction-block.ts";
import {
  type Block,
  type Content,
  type CountTokens,
  isKnownBlock,
  type Message,
  type ToolResultBlock,
} from "../../message/message.ts";
import { spansByItem } from "../../standing/result-text.ts";
import type { TextSpan } from "../../standing/standing-part.ts";
import { clipItem } from "./clip-item.ts";

/** How an item can be made smaller, if at all. Items are replaced only as a last resort, in this order. */
export type Resort = "clip" | "replace-image" | "replace-unknown" | "replace-reasoning" | "none";

/** One item of a block with its sizes, and how it can be made smaller. */
export interface Slot {
  /** As it is in the log: stand-ins are made from this, never from an earlier stand-in. */
  readonly item: Block;
  readonly itemTokens: number;
  /** As the view shows it now. */
  readonly shownTokens: number;
  /** An earlier clip made the view show less than the item. */
  readonly isClipped: boolean;
  /** Its size when it is made as small as it can be. */
  readonly leastTokens: number;
  readonly resort: Resort;
  /** Items of one group are replaced together. */
  readonly group: string;
  /** Parts of its text that stay. */
  readonly keeps: readonly TextSpan[];
}

/** A block with its slots. */
export interface ClipTarget {
  readonly messageIndex: number;
  readonly blockIndex: number;
  readonly parts: BlockParts;
  readonly slots: readonly Slot[];
}

export interface FindTargetsOptions {
  readonly messageIndex: number;
  readonly countTokens: CountTokens;
  readonly foldId: string;
  readonly isClippable: (messageIndex: number, blockIndex: number) => boolean;
  /** Parts of a block's text that stay, in order. */
  readonly keeps: (messageIndex: number, blockIndex: number) => readonly TextSpan[];
}

/** Every block of a message with its slots; a block that must stay as it is has slots with the resort `none`. */
export function findClipTargets(message: Message, options: FindTargetsOptions): readonly ClipTarget[] {
  const { messageIndex, countTokens, foldId, isClippable, keeps } = options;
  const lastFolds = new Map(hidingFolds(message).map((fold) => [fold.blockIndex, fold]));
  return takeContentApart(message.content, countTokens).map((original, blockIndex) => {
    const fold = lastFolds.get(blockIndex);
    // A resolved pointer is clipped by what it shows: the pointer underneath would be shorter, but leads to something hidden.
    const resolved = message.folds?.findLast(
      (candidate) => candidate.kind === "resolve" && candidate.blockIndex === blockIndex,
    );
    const parts = resolved === undefined ? original : takeApart(resolved.standIn, countTokens);
    const name = `${messageIndex} ${blockIndex}`;
    if (fold === undefined && !isClippable(messageIndex, blockIndex))
      return fixedTarget(parts, { messageIndex, blockIndex });
    if (fold !== undefined && fold.kind !== "clip" && fold.kind !== "resolve") {
      // Already a one-line stub: clipping the original underneath would show more, not less.
      const stub = fixedSlot(fold.standIn, countTokens([fold.standIn]), name);
      return { messageIndex, blockIndex, parts: { ...parts, frameTokens: 0 }, slots: [stub] };
    }
    const shown = fold === undefined ? parts.items : takeApart(fold.standIn, countTokens).items;
    const { isNested } = parts;
    const kept = spansByItem(parts.items, keeps(messageIndex, blockIndex));
    const slots = parts.items.map((item, index) => {
      const resort = resortOf(item, isNested);
      // Unknown blocks of a message may belong together, as a call and its result do: all of them are replaced, or none.
      const group = resort === "replace-unknown" && !isNested ? `${messageIndex}` : `${name} ${index}`;
      const unmeasured = { item, shownItem: shown[index] ?? item, resort, group, keeps: kept[index] ?? [] };
      return measureSlot(unmeasured, parts.measure, foldId);
    });
    return { messageIndex, blockIndex, parts, slots };
  });
}

/** A block that stays as it is. */
function fixedTarget(
  parts: BlockParts,
  { messageIndex, blockIndex }: Pick<ClipTarget, "messageIndex" | "blockIndex">,
): ClipTarget {
  const slots = parts.items.map((item, index) =>
    fixedSlot(item, parts.measure(item), `${messageIndex} ${blockIndex} ${index}`),
  );
  return { messageIndex, blockIndex, parts, slots };
}

function fixedSlot(item: Block, tokens: number, group: string): Slot {
  return {
    item,
    itemTokens: tokens,
    shownTokens: tokens,
    isClipped: false,
    leastTokens: tokens,
    resort: "none",
    group,
    keeps: [],
  };
}

interface UnmeasuredSlot {
  readonly item: Block;
  readonly shownItem: Block;
  readonly resort: Resort;
  readonly group: string;
  readonly keeps: readonly TextSpan[];
}

function measureSlot(
  { item, shownItem, resort, group, keeps }: UnmeasuredSlot,
  measure: (item: Block) => number,
  foldId: string,
): Slot {
  const itemTokens = measure(item);
  if (resort === "none") return fixedSlot(item, itemTokens, group);
  const shownTokens = shownItem === item ? itemTokens : measure(shownItem);
  const leastTokens = measure(clipItem(item, { budgetTokens: 0, totalTokens: itemTokens, measure, foldId, keeps }));
  const isClipped = resort === "clip" ? shownTokens < itemTokens : shownItem.type !== item.type;
  return { item, itemTokens, shownTokens, isClipped, leastTokens, resort, group, keeps };
}

function resortOf(item: Block, isNested: boolean): Resort {
  // The prompt has nothing else of what a compaction stands for, and the provider would refuse a changed one.
  if (isCompactionBlock(item)) return "none";
  if (!isKnownBlock(item)) return "replace-unknown";
  switch (item.type) {
    case "text":
      return "clip";
    case "image":
      return "replace-image";
    case "tool_use":
      return isNested ? "replace-unknown" : "clip";
    case "reasoning":
      return isNested ? "replace-unknown" : "replace-reasoning";
    case "tool_result":
      return isNested ? "replace-unknown" : "none";
  }
}

/** A block taken apart into items that are clipped on their own: those of a tool result, or the block itself. */
interface BlockParts {
  readonly items: readonly Block[];
  /** Whether the items lie inside the block. */
  readonly isNested: boolean;
  /** The block with other items in place of its own, one for one. */
  readonly assemble: (items: readonly Block[]) => Block;
  /** Tokens of one item at its place in the block. */
  readonly measure: (item: Block) => number;
  /** Tokens of the block without its items; 0 where `measure` includes them. */
  readonly frameTokens: number;
}

/** Takes a message's content apart. A string is one text block, counted as the string that it stays. */
function takeContentApart(content: Content, countTokens: CountTokens): readonly BlockParts[] {
  if (typeof content !== "string") return content.map((block) => takeApart(block, countTokens));
  const block: Block = { type: "text", text: content };
  return [wholePart(block, (item) => countTokens(textOf(item) ?? [item]))];
}

/** Takes a block apart: a tool result into its items, any other block into itself. */
export function takeApart(block: Block, countTokens: CountTokens): BlockParts {
  const isFilled = isKnownBlock(block) && block.type === "tool_result" && block.content !== undefined;
  return isFilled ? takeResultApart(block, countTokens) : wholePart(block, (item) => countTokens([item]));
}

function wholePart(block: Block, measure: (item: Block) => number): BlockParts {
  return { items: [block], isNested: false, assemble: ([item = block]) => item, measure, frameTokens: 0 };
}

function takeResultApart(block: ToolResultBlock, countTokens: CountTokens): BlockParts {
  const { content = "" } = block;
  if (typeof content === "string") {
    const assemble = ([item]: readonly Block[]) => ({ ...block, content: textOf(item) ?? content });
    const measure = (item: Block) => countTokens([assemble([item])]);
    return { items: [{ type: "text", text: content }], isNested: true, assemble, measure, frameTokens: 0 };
  }
  const assemble = (items: readonly Block[]) => ({ ...block, content: items });
  const frameTokens = countTokens([assemble([])]);
  const measure = (item: Block) => Math.max(0, countTokens([assemble([item])]) - frameTokens);
  return { items: content, isNested: true, assemble, measure, frameTokens };
}

function textOf(item: Block | undefined): string | undefined {
  return item !== undefined && isKnownBlock(item) && item.type === "text" ? item.text : undefined;
}
