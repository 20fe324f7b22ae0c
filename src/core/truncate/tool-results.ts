import { type BlockFoldRequest, foldBlocks, hidingFolds } from "../message/block-folds.ts";
import { visiblePlaces } from "../message/effective-view.ts";
import type {
  BlockFold,
  BlockFoldKind,
  CountTokens,
  Message,
  ToolResultBlock,
  ToolUseBlock,
} from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { countBlockTokens, countMessageTokens } from "../tokens/count-messages.ts";

/** A tool result that the view shows. */
export interface VisibleResult {
  readonly message: Message;
  readonly messageIndex: number;
  /** Index into the message's content. */
  readonly blockIndex: number;
  readonly block: ToolResultBlock;
  /** Absent where the log holds a result without its call. */
  readonly call?: ToolUseBlock;
  /** The fold whose stand-in the view shows instead, if there is one. */
  readonly shownBy?: BlockFold;
}

/** Every tool result in a visible message, oldest first, with the latest call before it that has its id. */
export function findVisibleResults(messages: readonly Message[]): readonly VisibleResult[] {
  const calls = new Map<string, ToolUseBlock>();
  const results: VisibleResult[] = [];
  for (const messageIndex of visiblePlaces(messages)) {
    const message = messages[messageIndex];
    if (message === undefined) continue;
    const folds = new Map(hidingFolds(message).map((fold) => [fold.blockIndex, fold]));
    for (const [blockIndex, block] of contentBlocks(message.content).entries()) {
      if (isToolUse(block)) calls.set(block.id, block);
      if (!isToolResult(block)) continue;
      const call = calls.get(block.tool_use_id);
      const shownBy = folds.get(blockIndex);
      results.push({
        ...{ message, messageIndex, blockIndex, block },
        ...(call === undefined ? {} : { call }),
        ...(shownBy === undefined ? {} : { shownBy }),
      });
    }
  }
  return results;
}

/** The tokens of a result. Most are the only block of their message, whose count is cached. */
export function countResultTokens(
  { message, block }: Pick<VisibleResult, "message" | "block">,
  countTokens: CountTokens,
): number {
  return message.content.length === 1 ? countMessageTokens(message, countTokens) : countBlockTokens(block, countTokens);
}

/** The outcome of hiding blocks behind stand-ins. */
export interface BlockFoldResult {
  /** The same array when nothing was hidden. */
  readonly messages: readonly Message[];
  /** Absent when nothing was hidden. */
  readonly foldId?: string;
  /** How many blocks were hidden. */
  readonly blocks: number;
  /** How much smaller the view became. */
  readonly gainTokens: number;
}

export interface FoldBatch {
  readonly foldId: string;
  readonly kind: BlockFoldKind;
  readonly requests: readonly GainfulRequest[];
  readonly minGainTokens: number;
}

export interface GainfulRequest extends BlockFoldRequest {
  /** How much smaller the view becomes: less than `hiddenTokens` where an older fold hides a part already. */
  readonly gainTokens: number;
}

/** Hides all requested blocks in one fold; hides none where they gain too little to be worth breaking a cached prefix. */
export function foldBatch(messages: readonly Message[], batch: FoldBatch): BlockFoldResult {
  const { foldId, kind, requests, minGainTokens } = batch;
  const gainTokens = requests.reduce((sum, request) => sum + request.gainTokens, 0);
  if (requests.length === 0 || gainTokens < minGainTokens) return { messages, blocks: 0, gainTokens: 0 };
  return { messages: foldBlocks(messages, { foldId, kind }, requests), foldId, blocks: requests.length, gainTokens };
}
