import { isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type Message } from "../../core/message/message.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
import { fitCallIds } from "../shared/call-ids.ts";
import { blocksOf, joinPairs } from "../shared/join-turns.ts";
import { sendableMessages } from "../shared/sendable.ts";
import { showBlock } from "./show-block.ts";

const MAX_ID_LENGTH = 64;
/** The API's limit for a whole request. */
const MAX_CACHE_MARKS = 4;
const EMPTY_REPLY = "[The reply was empty.]";

/** The messages in an order and with blocks that Anthropic's API takes, still in our model. */
export function arrange(messages: readonly Message[]): readonly Message[] {
  const joined = joinPairs(sendableMessages(messages, showBlock), { repliesFrom: "first-call" });
  const last = joined.length - 1;
  const replies = joined.map((message, index) =>
    message.role === "assistant" ? withoutLastThoughts(message, index === last) : message,
  );
  return limitCacheMarks(fitCallIds(replies, { maxLength: MAX_ID_LENGTH }));
}

/** A reply must not end with thoughts. Where there is nothing else, they are said. */
function withoutLastThoughts(message: Message, isLast: boolean): Message {
  const blocks = blocksOf(message);
  const end = blocks.findLastIndex((block) => !isThought(block)) + 1;
  if (end === blocks.length) return message;
  if (end === 0) return { ...message, content: saidThoughts(blocks) };
  const kept = blocks.slice(0, end);
  return { ...message, content: isLast ? kept.map((block, at) => (at === end - 1 ? trimmed(block) : block)) : kept };
}

function isThought(block: Block): boolean {
  return block.type === "reasoning" || block.type === "redacted_thinking";
}

function saidThoughts(blocks: readonly Block[]): string {
  const texts = blocks.flatMap((block) => (isKnownBlock(block) && block.type === "reasoning" ? [block.text] : []));
  return texts.join("\n\n").trim() || EMPTY_REPLY;
}

/** The end of a prompt must not be white space. */
function trimmed(block: Block): Block {
  return isKnownBlock(block) && block.type === "text" ? { ...block, text: block.text.trimEnd() } : block;
}

/** The newest marks for the cache stay: the API takes a few, and a log gathers one with each turn. */
function limitCacheMarks(messages: readonly Message[]): readonly Message[] {
  let excess = messages.reduce(
    (sum, message) => sum + blocksOf(message).reduce((all, each) => all + marksOf(each), 0),
    0,
  );
  excess -= MAX_CACHE_MARKS;
  if (excess <= 0) return messages;
  const unmark = (block: Block): Block => {
    if (excess <= 0 || marksOf(block) === 0) return block;
    const inner = isToolResult(block) && Array.isArray(block.content) ? { content: block.content.map(unmark) } : {};
    const { cache_control: mark, ...rest }: JsonRecord = { ...block, ...inner };
    if (!isRecord(mark) || excess <= 0) return { ...block, ...inner };
    excess--;
    return { ...rest, type: block.type };
  };
  return messages.map((message) =>
    typeof message.content === "string" ? message : { ...message, content: message.content.map(unmark) },
  );
}

function marksOf(block: Block): number {
  const own = "cache_control" in block && isRecord(block.cache_control) ? 1 : 0;
  if (!isToolResult(block) || !Array.isArray(block.content)) return own;
  return block.content.reduce((sum: number, item: Block) => sum + marksOf(item), own);
}
