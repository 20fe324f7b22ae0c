import { fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type KnownBlock, type Message } from "../../core/message/message.ts";
import { splitTurns } from "../../core/message/repair-view.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
import { writeAnthropicThinking } from "../../core/transcript/anthropic-messages.ts";
import { fitCallIds } from "../shared/call-ids.ts";
import { thoughtsAsReply, trimEnd } from "../shared/end-of-reply.ts";
import { blocksOf, joinPairs } from "../shared/join-turns.ts";
import { type PromptOptions, systemOf } from "../shared/options.ts";
import { sendableMessages } from "../shared/sendable.ts";
import type {
  AnthropicBlock,
  AnthropicMessage,
  AnthropicPrompt,
  AnthropicResultItem,
  AnthropicToolResultBlock,
} from "./anthropic-prompt.ts";
import { pickFields } from "./fields.ts";
import { showBlock } from "./show-block.ts";

/**
 * Converts messages to what Anthropic's client takes: `client.messages.create({ model, max_tokens, ...prompt })`. Only role and content are
 * sent, and nothing that the API refuses.
 *
 * `fromAnthropic` gives the same messages back, except for what this API cannot hold: ids, times and tags of messages; reasoning that
 * Anthropic did not sign, and reasoning at the end of a reply; blocks of other providers, which become text; arguments that are no object; ids
 * and names of calls with characters that it refuses; errors without a word. Neighbours of one role that share calls and results are one message, calls that nobody
 * answered have a result that says so, and of the marks for the cache the newest four stay.
 * @example
 * ```ts
 * import { toAnthropic } from "palimpsest/messages";
 * const prompt = toAnthropic([{ id: "m1", role: "user", content: "Why?" }], { system: "Be brief." });
 * console.log(prompt); // { system: 'Be brief.', messages: [ { role: 'user', content: 'Why?' } ] }
 * ```
 */
export function toAnthropic(messages: readonly Message[], options?: PromptOptions): AnthropicPrompt {
  const system = systemOf(options);
  return { ...(system !== undefined && { system }), messages: writeMessages(arrange(messages)) };
}

const MAX_ID_LENGTH = 64;
/** The API's limit for a whole request. */
const MAX_CACHE_MARKS = 4;

/** The messages in an order and with blocks that Anthropic's API takes, still in our model. */
function arrange(messages: readonly Message[]): readonly Message[] {
  const joined = joinPairs(sendableMessages(messages, showBlock), { repliesFrom: "first-call" });
  const last = joined.length - 1;
  const replies = joined.map((message, index) =>
    message.role === "assistant" ? withoutLastThoughts(message, index === last) : message,
  );
  return limitCacheMarks(fitCallIds(replies, { maxLength: MAX_ID_LENGTH }));
}

/** A reply without the reasoning at its end, which the API refuses there. If nothing else is left, the reasoning becomes its text. */
function withoutLastThoughts(message: Message, isLast: boolean): Message {
  const blocks = blocksOf(message);
  const end = blocks.findLastIndex((block) => !isThought(block)) + 1;
  if (end === blocks.length) return message;
  if (end === 0) return { ...message, content: thoughtsAsReply(blocks) };
  const kept = blocks.slice(0, end);
  return { ...message, content: isLast ? kept.map((block, at) => (at === end - 1 ? trimEnd(block) : block)) : kept };
}

function isThought(block: Block): boolean {
  return block.type === "reasoning" || block.type === "redacted_thinking";
}

/** Keeps only the newest cache marks: the API takes four, and a log collects one with each turn. */
function limitCacheMarks(messages: readonly Message[]): readonly Message[] {
  let excess = messages.reduce(
    (sum, message) => sum + blocksOf(message).reduce((total, block) => total + countMarks(block), 0),
    0,
  );
  excess -= MAX_CACHE_MARKS;
  if (excess <= 0) return messages;
  const unmark = (block: Block): Block => {
    if (excess <= 0 || countMarks(block) === 0) return block;
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

function countMarks(block: Block): number {
  const own = "cache_control" in block && isRecord(block.cache_control) ? 1 : 0;
  if (!isToolResult(block) || !Array.isArray(block.content)) return own;
  return block.content.reduce((sum: number, item: Block) => sum + countMarks(item), own);
}

/** Writes messages that `arrange` returned. */
function writeMessages(messages: readonly Message[]): AnthropicMessage[] {
  return splitTurns(messages).flatMap((turn) =>
    turn.flatMap((message, index) => writeMessage(message, index === turn.length - 1)),
  );
}

/** Writes blocks of the system at the end of a user's turn as a system message of their own; elsewhere they stay the user's. */
function writeMessage({ role, content }: Message, isEndOfTurn: boolean): AnthropicMessage[] {
  if (typeof content === "string") return [{ role, content }];
  const end = content.findLastIndex((block) => fieldAt(block, "role") !== "system") + 1;
  const canSplit = isEndOfTurn && role === "user" && end > 0 && end < content.length;
  if (!canSplit) return [{ role, content: content.flatMap(writeBlock) }];
  const own: WrittenMessage = { role, content: content.slice(0, end).flatMap(writeBlock) };
  const system: WrittenMessage = { role: "system", content: content.slice(end).flatMap(writeBlock) };
  return [own, system].filter(isMessage);
}

interface WrittenMessage {
  readonly role: string;
  readonly content: AnthropicBlock[];
}

/** The types name what every version of the client takes; newer ones know the role "system" too. */
function isMessage(message: WrittenMessage): message is WrittenMessage & AnthropicMessage {
  return ["user", "assistant", "system"].includes(message.role);
}

function writeBlock(block: Block): AnthropicBlock[] {
  if (isKnownBlock(block)) return writeKnown(block);
  const { role: _, ...carried }: JsonRecord = { ...block };
  return [carried].filter(isOwnBlock);
}

/** Narrows a block that our model does not know: `showBlock` has left only blocks of this API. */
function isOwnBlock(block: JsonRecord): block is JsonRecord & AnthropicBlock {
  return typeof block.type === "string";
}

function writeKnown(block: KnownBlock): AnthropicBlock[] {
  const fields = pickFields(block);
  switch (block.type) {
    case "text":
      return [{ ...fields, type: "text", text: block.text }];
    case "image":
      return [{ ...fields, type: "image" }].filter(isOwnBlock);
    case "reasoning": {
      const thinking = writeAnthropicThinking({ ...fields, type: "reasoning" });
      return thinking === undefined ? [] : [thinking];
    }
    case "tool_use":
      return [{ ...fields, type: "tool_use", id: block.id, name: block.name, input: block.input }];
    case "tool_result": {
      const { content, ...rest } = fields;
      const result: AnthropicToolResultBlock = { ...rest, type: "tool_result", tool_use_id: block.tool_use_id };
      if (typeof block.content === "string") return [{ ...result, content: block.content }];
      return [content === undefined ? result : { ...result, content: (block.content ?? []).flatMap(writeItem) }];
    }
  }
}

function writeItem(block: Block): AnthropicResultItem[] {
  return writeBlock(block).filter(isItem);
}

function isItem(block: AnthropicBlock): block is AnthropicResultItem {
  return !["tool_use", "tool_result", "thinking", "redacted_thinking"].includes(block.type);
}
