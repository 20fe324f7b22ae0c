import { assertNumber } from "../../assert.ts";
import { checkMessages } from "../../message/check-messages.ts";
import { isPinned } from "../../message/compaction.ts";
import {
  type Block,
  isKnownBlock,
  type Message,
  type ReasoningBlock,
  type ToolUseBlock,
} from "../../message/message.ts";
import { contentBlocks, detectPairs, type ToolPair } from "../../message/tool-pairs.ts";
import { detectUnits } from "../../message/units.ts";

/**
 * How many of the newest messages a summary leaves as they are.
 * @example
 * ```ts
 * import { getKeepMessagesWithToolBlocks, N_MESSAGES_TO_KEEP } from "palimpsest/core";
 * const log = Array.from({ length: 9 }, () => ({ role: "user", content: "hello" }) as const);
 * console.log(N_MESSAGES_TO_KEEP, getKeepMessagesWithToolBlocks(log).keepMessages.length); // 3 3
 * ```
 */
export const N_MESSAGES_TO_KEEP = 3;

export interface KeptMessages {
  /** The newest messages. More than asked for where a tool call is still running, or cannot be carried. */
  readonly keepMessages: readonly Message[];
  /** Calls that would be hidden while their results are kept: the summary message carries them. */
  readonly toolUseBlocksToPreserve: readonly ToolUseBlock[];
  /** The reasoning that led to those calls: some providers demand it with them. */
  readonly reasoningBlocksToPreserve: readonly ReasoningBlock[];
}

/**
 * The newest `keepCount` messages of a view, and the blocks that must stay with them to keep tool pairs whole.
 * @example
 * ```ts
 * import { getKeepMessagesWithToolBlocks, type Message } from "palimpsest/core";
 * const log: Message[] = [
 *   { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "read", input: {} }] },
 *   { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "text" }] },
 * ];
 * console.log(getKeepMessagesWithToolBlocks(log, 1).toolUseBlocksToPreserve.map(({ id }) => id)); // [ 't1' ]
 * ```
 */
export function getKeepMessagesWithToolBlocks(
  messages: readonly Message[],
  keepCount: number = N_MESSAGES_TO_KEEP,
): KeptMessages {
  checkMessages(messages);
  assertNumber("keepCount", keepCount, 0);
  const pairs = detectPairs(messages);
  let start = Math.max(0, messages.length - Math.floor(keepCount));
  // While a call in the last unit is running, the whole unit is kept: its result is still to come.
  const running = pairs.find((pair) => pair.result === undefined && pair.call.messageIndex < start);
  const units = detectUnits(messages);
  const last = units.at(-1);
  if (running !== undefined && last !== undefined && running.call.messageIndex >= last.start) start = last.start;

  const parted = pairs.filter((pair) => isParted(pair, start));
  const unitStart = units.find((unit) => unit.end > start)?.start ?? start;
  const isKept = messages.slice(unitStart, start).some(isPinned);
  if (parted.length > 0 && (isKept || !canBeCarried(messages, parted, start))) {
    return { keepMessages: messages.slice(unitStart), toolUseBlocksToPreserve: [], reasoningBlocksToPreserve: [] };
  }
  return {
    keepMessages: messages.slice(start),
    toolUseBlocksToPreserve: parted.map((pair) => pair.call.block),
    reasoningBlocksToPreserve: assistantTurns(messages, parted).flatMap((message) =>
      contentBlocks(message.content).filter(isReasoning),
    ),
  };
}

/** The assistant's messages from the beginning of its turn up to the last of these calls, without those that stay visible. */
function assistantTurns(messages: readonly Message[], calls: readonly ToolPair[]): readonly Message[] {
  const first = calls.at(0)?.call.messageIndex ?? 0;
  const last = calls.at(-1)?.call.messageIndex ?? -1;
  const before = messages.findLastIndex((message, index) => index < first && message.role !== "assistant");
  return messages
    .slice(before + 1, last + 1)
    .filter(({ role, important }) => role === "assistant" && important !== true);
}

/** Whether the call of a pair would be hidden, and its result kept. */
function isParted({ call, result }: ToolPair, start: number): boolean {
  return call.messageIndex < start && result !== undefined && result.messageIndex >= start;
}

/** Whether a summary at `start` can carry these calls: it must then be the assistant's turn right before their results. */
function canBeCarried(messages: readonly Message[], parted: readonly ToolPair[], start: number): boolean {
  const firstCall = parted.at(0)?.call.messageIndex ?? 0;
  const lastResult = parted.reduce((last, { result }) => Math.max(last, result?.messageIndex ?? 0), 0);
  const isUser = (message: Message) => message.role === "user";
  const afterCalls = messages.findIndex((message, index) => index >= firstCall && isUser(message));
  return messages.slice(afterCalls, start).every(isUser) && messages.slice(start, lastResult + 1).every(isUser);
}

function isReasoning(block: Block): block is ReasoningBlock {
  return isKnownBlock(block) && block.type === "reasoning";
}
