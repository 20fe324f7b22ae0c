import type { Block, Message } from "../../core/message/message.ts";
import { splitTurns } from "../../core/message/repair-view.ts";
import { allBlocks, contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";

export interface JoinOptions {
  /** Where the joined message of an assistant's turn with calls begins: at the message of the first call, or at the start of the turn. */
  readonly repliesFrom: "first-call" | "start";
}

/**
 * Joins neighbouring messages of one role that share calls or results: some wires want all calls in one message and all of their results in
 * the next. Other neighbours stay separate.
 */
export function joinPairs(messages: readonly Message[], { repliesFrom }: JoinOptions): readonly Message[] {
  return splitTurns(messages).flatMap((turn) => {
    if (turn[0]?.role === "user") return joinRange(turn, 0, turn.findLastIndex(hasResult));
    const firstCall = turn.findIndex(hasCall);
    return joinRange(turn, repliesFrom === "start" ? 0 : firstCall, firstCall < 0 ? -1 : turn.length - 1);
  });
}

/** Joins the messages from `first` to `last` (inclusive) of a turn. */
function joinRange(turn: readonly Message[], first: number, last: number): readonly Message[] {
  const head = turn[first];
  if (head === undefined || last <= first) return turn;
  const content = turn.slice(first, last + 1).flatMap(blocksOf);
  return [...turn.slice(0, first), { role: head.role, content }, ...turn.slice(last + 1)];
}

/** The content as blocks: a string is one text block. */
export function blocksOf({ content }: Message): readonly Block[] {
  return allBlocks(content);
}

function hasCall({ content }: Message): boolean {
  return contentBlocks(content).some(isToolUse);
}

function hasResult({ content }: Message): boolean {
  return contentBlocks(content).some(isToolResult);
}
