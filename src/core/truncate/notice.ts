import { foldBlocks } from "../message/block-folds.ts";
import { collectStandIns, isHidden, isStandIn } from "../message/effective-view.ts";
import { newFoldId } from "../message/fold-id.ts";
import { type Block, type CountTokens, isKnownBlock, type Message } from "../message/message.ts";
import { blocksOf } from "./trim-units.ts";

/** The figures of a notice that tells a model how full its window is. */
export interface WindowUse {
  readonly promptTokens: number;
  readonly contextWindow: number;
  /** The size of a prompt from which on older messages are folded. */
  readonly foldsAtTokens: number;
  /** The size of the prompt after that fold; undefined where it is not known in advance. */
  readonly targetTokens: number | undefined;
}

/** A notice is added at each of these steps, from the first percentage on: a line in every request would cost more than it is worth. */
const STEP_PERCENT = 10;
const FIRST_PERCENT = 20;

/** Whether the window has become a step fuller since the view's last notice, which said `lastPercent`. */
export function isNoticeDue({ promptTokens, contextWindow }: WindowUse, lastPercent: number | undefined): boolean {
  const percent = (100 * promptTokens) / contextWindow;
  const last = lastPercent ?? FIRST_PERCENT - STEP_PERCENT;
  return percent >= FIRST_PERCENT && Math.floor(percent / STEP_PERCENT) > Math.floor(last / STEP_PERCENT);
}

/** The line that a notice adds. */
export function noticeText({ promptTokens, contextWindow, foldsAtTokens, targetTokens }: WindowUse): string {
  const used = `${percentOf(promptTokens, contextWindow)} % of ${contextWindow.toLocaleString("en-US")} tokens used`;
  const hidden = Math.max(0, Math.round((foldsAtTokens - (targetTokens ?? foldsAtTokens)) / 1_000) * 1_000);
  const oldest = hidden === 0 ? "the oldest messages" : `the oldest ${hidden.toLocaleString("en-US")}`;
  return `[context: ${used}; at ${percentOf(foldsAtTokens, contextWindow)} % ${oldest} will be folded]`;
}

function percentOf(tokens: number, contextWindow: number): number {
  return Math.round((100 * tokens) / contextWindow);
}

/** How full the window was by the newest visible notice of a log; undefined where there is none. */
export function lastNoticePercent(messages: readonly Message[]): number | undefined {
  const standIns = collectStandIns(messages);
  const newest = messages.findLast((message) => noticePercent(message) !== undefined && !isHidden(message, standIns));
  return newest && noticePercent(newest);
}

function noticePercent({ folds }: Message): number | undefined {
  return folds?.findLast(({ kind }) => kind === "notice")?.usedPercent;
}

export interface NoticeOptions {
  readonly use: WindowUse;
  readonly countTokens: CountTokens;
  readonly taskId: string;
}

export interface AddedNotice {
  readonly messages: readonly Message[];
  /** Undefined where nothing was added. */
  readonly foldId?: string;
  /** How much longer the view became, in our tokens. */
  readonly addedTokens: number;
}

/**
 * Adds a notice to the newest message, where it is a user's: below the text of its last text block or tool result. The notice is a fold: its
 * bytes stay the same for as long as it lives. Returns the same array where the message has no such block, or a notice already.
 */
export function addNotice(messages: readonly Message[], { use, countTokens, taskId }: NoticeOptions): AddedNotice {
  const messageIndex = messages.length - 1;
  const newest = messages[messageIndex];
  // A message with a notice may have been sent: a second notice would change its bytes.
  if (newest?.role !== "user" || isStandIn(newest) || noticePercent(newest) !== undefined)
    return { messages, addedTokens: 0 };
  const folded = new Set(newest.folds?.map(({ blockIndex }) => blockIndex));
  const blocks = blocksOf(newest);
  const line = noticeText(use);
  for (let blockIndex = blocks.length - 1; blockIndex >= 0; blockIndex--) {
    const block = blocks[blockIndex];
    const standIn = block === undefined || folded.has(blockIndex) ? undefined : withLine(block, line);
    if (block === undefined || standIn === undefined) continue;
    const foldId = newFoldId("notice", taskId, messages);
    const hiddenTokens = countTokens([block]) - countTokens([standIn]);
    const usedPercent = percentOf(use.promptTokens, use.contextWindow);
    const request = { messageIndex, blockIndex, standIn, hiddenTokens, usedPercent };
    const noticed = foldBlocks(messages, { foldId, kind: "notice" }, [request]);
    return { messages: noticed, foldId, addedTokens: -hiddenTokens };
  }
  return { messages, addedTokens: 0 };
}

/** The block with the line below its text; undefined for a block without one. */
function withLine(block: Block, line: string): Block | undefined {
  if (!isKnownBlock(block)) return undefined;
  if (block.type === "text") return { ...block, text: `${block.text}\n\n${line}` };
  if (block.type !== "tool_result") return undefined;
  const { content = "" } = block;
  if (typeof content === "string") return { ...block, content: content === "" ? line : `${content}\n\n${line}` };
  return { ...block, content: [...content, { type: "text", text: line }] };
}
