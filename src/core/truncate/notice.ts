import { foldBlocks } from "../message/block-folds.ts";
import { collectStandIns, isHidden, isStandIn } from "../message/effective-view.ts";
import { newFoldId } from "../message/fold-id.ts";
import { type Block, type CountTokens, isKnownBlock, type Message } from "../message/message.ts";
import { blocksOf } from "./trim-units.ts";

/** How full a window is, as a model is told. */
export interface WindowUse {
  readonly promptTokens: number;
  readonly contextWindow: number;
  /** The size of a prompt from which on older messages are folded. */
  readonly foldsAtTokens: number;
  /** What is left of the prompt then; undefined where that is not known before. */
  readonly targetTokens: number | undefined;
}

/** A model is told at each such step of percent, and not below the first one: a line in every request would cost more than it tells. */
const STEP_PERCENT = 10;
const FIRST_PERCENT = 20;

/** Whether there is something new to tell since the notice that the view shows last. */
export function isNoticeDue({ promptTokens, contextWindow }: WindowUse, lastPercent: number | undefined): boolean {
  const percent = (100 * promptTokens) / contextWindow;
  const told = lastPercent ?? FIRST_PERCENT - STEP_PERCENT;
  return percent >= FIRST_PERCENT && Math.floor(percent / STEP_PERCENT) > Math.floor(told / STEP_PERCENT);
}

/** The line that a model is told. */
export function noticeText({ promptTokens, contextWindow, foldsAtTokens, targetTokens }: WindowUse): string {
  const used = `${percentOf(promptTokens, contextWindow)} % of ${contextWindow.toLocaleString("en-US")} tokens used`;
  const hidden = Math.max(0, Math.round((foldsAtTokens - (targetTokens ?? foldsAtTokens)) / 1_000) * 1_000);
  const oldest = hidden === 0 ? "the oldest messages" : `the oldest ${hidden.toLocaleString("en-US")}`;
  return `[context: ${used}; at ${percentOf(foldsAtTokens, contextWindow)} % ${oldest} will be folded]`;
}

function percentOf(tokens: number, contextWindow: number): number {
  return Math.round((100 * tokens) / contextWindow);
}

/** How full the window was by the newest notice that a view shows; undefined where it shows none. */
export function lastNoticePercent(messages: readonly Message[]): number | undefined {
  const standIns = collectStandIns(messages);
  const told = messages.findLast((message) => noticeOf(message) !== undefined && !isHidden(message, standIns));
  return told && noticeOf(told);
}

function noticeOf({ folds }: Message): number | undefined {
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
 * Adds the line to what the model reads next: the newest block of the person's or of a tool's that has a text. A fold like any other: it stays
 * the same bytes for as long as it lives. The same array where there is no such block, or the message has a notice already.
 */
export function addNotice(messages: readonly Message[], { use, countTokens, taskId }: NoticeOptions): AddedNotice {
  const messageIndex = messages.length - 1;
  const newest = messages[messageIndex];
  // Whoever has a notice was sent with it: a second one would change those bytes.
  if (newest?.role !== "user" || isStandIn(newest) || noticeOf(newest) !== undefined)
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

function withLine(block: Block, line: string): Block | undefined {
  if (!isKnownBlock(block)) return undefined;
  if (block.type === "text") return { ...block, text: `${block.text}\n\n${line}` };
  if (block.type !== "tool_result") return undefined;
  const { content = "" } = block;
  if (typeof content === "string") return { ...block, content: content === "" ? line : `${content}\n\n${line}` };
  return { ...block, content: [...content, { type: "text", text: line }] };
}
