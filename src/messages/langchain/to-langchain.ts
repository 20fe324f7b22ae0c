import { asText, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type Message, type ToolUseBlock } from "../../core/message/message.ts";
import { isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { writeAnthropicThinking } from "../../core/transcript/anthropic-messages.ts";
import { imageToUrl } from "../../core/transcript/data-url.ts";
import { fitCallIds } from "../shared/call-ids.ts";
import { thoughtsAsReply, trimEnd } from "../shared/end-of-reply.ts";
import { blocksOf, joinPairs } from "../shared/join-turns.ts";
import { type PromptOptions, systemOf } from "../shared/options.ts";
import { sendableMessages, showMessage } from "../shared/sendable.ts";
import type {
  LangChainAssistantMessage,
  LangChainBlock,
  LangChainMessage,
  LangChainPrompt,
  LangChainToolCall,
} from "./langchain-prompt.ts";
import { showBlock } from "./show-block.ts";

const MAX_ID_LENGTH = 64;

/**
 * Converts messages to what a chat model of LangChain takes: `model.invoke(prompt.messages)`. Give it what `session.prepare()` returned, or any
 * messages. Nothing of LangChain is imported: its models make their messages of these plain objects.
 *
 * Left out: marks for a provider's cache, and reasoning that is not signed or sealed by Anthropic. System messages within the conversation become
 * the user's, as not every provider takes them there.
 * @example
 * ```ts
 * import { toLangChain } from "palimpsest/messages";
 * const prompt = toLangChain([{ role: "user", content: "Why?" }], { system: "Be brief." });
 * console.log(prompt.messages.map(({ role }) => role)); // [ 'system', 'user' ]
 * // await model.invoke(prompt.messages);
 * ```
 */
export function toLangChain(messages: readonly Message[], options?: PromptOptions): LangChainPrompt {
  const system = systemOf(options);
  const joined = joinPairs(sendableMessages(messages, showBlock), { repliesFrom: "first-call" });
  const last = joined.length - 1;
  const replies = joined.map((message, index) => withoutLastThoughts(message, index === last));
  const fitted = fitCallIds(replies, { maxLength: MAX_ID_LENGTH });
  const opening = openingOf(fitted);
  return {
    messages: [
      ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
      ...opening.flatMap(writeMessage).map(asSystem),
      ...fitted.slice(opening.length).flatMap(writeMessage),
    ],
  };
}

/** The system messages that open the conversation; none if the assistant speaks next, as then the conversation would begin with the assistant. */
function openingOf(messages: readonly Message[]): readonly Message[] {
  const end = messages.findIndex((message) => !isSystem(message));
  return messages[end]?.role === "user" ? messages.slice(0, end) : [];
}

function isSystem(message: Message): boolean {
  const blocks = typeof message.content === "string" ? [] : message.content;
  return blocks.length > 0 && blocks.every((block) => fieldAt(block, "role") === "system");
}

function asSystem({ content }: LangChainMessage): LangChainMessage {
  const [first, ...others] = typeof content === "string" ? [] : content;
  const isText = others.length === 0 && typeof first?.text === "string" && first.type === "text";
  return { role: "system", content: isText ? String(first.text) : content };
}

/** A reply without the reasoning at its end, which providers refuse there. If nothing else is left, the reasoning becomes its text. */
function withoutLastThoughts(message: Message, isLast: boolean): Message {
  const blocks = blocksOf(message);
  const end = blocks.findLastIndex((block) => block.type !== "reasoning") + 1;
  if (message.role === "user" || end === blocks.length || blocks.some(isToolUse)) return message;
  if (end === 0) return { ...message, content: thoughtsAsReply(blocks) };
  return { ...message, content: blocks.slice(0, end).map((block) => (isLast ? trimEnd(block) : block)) };
}

/** Writes one message by itself, for a view whose messages need not be repaired or joined. */
export function writeViewMessage(message: Message): LangChainMessage[] {
  return writeMessage(showMessage(message, showBlock));
}

/** Writes one message. Each result becomes a message of its own, and the other blocks follow in one. */
function writeMessage({ role, content }: Message): LangChainMessage[] {
  if (typeof content === "string") return [{ role, content }];
  return role === "assistant" ? [writeReply(content)] : writeTurn(content);
}

function writeReply(blocks: readonly Block[]): LangChainAssistantMessage {
  const calls = blocks.filter(isToolUse);
  const others = blocks.filter((block) => !isToolUse(block));
  if (calls.length === 0) return { role: "assistant", content: others.map(writeBlock) };
  // The content repeats the calls only if another block follows one: then their place matters.
  const areCallsLast = blocks.findLastIndex((block) => !isToolUse(block)) < blocks.findIndex(isToolUse);
  const content = areCallsLast ? contentOf(others) : blocks.map(writeBlock);
  return { role: "assistant", content, tool_calls: calls.map(writeCall) };
}

/** A single text as a string: not every provider takes a list of blocks beside calls. */
function contentOf(blocks: readonly Block[]): string | LangChainBlock[] {
  const [first, ...others] = blocks;
  if (first === undefined) return "";
  const isText = others.length === 0 && isKnownBlock(first) && first.type === "text";
  return isText ? first.text : blocks.map(writeBlock);
}

function writeCall({ id, name, input }: ToolUseBlock): LangChainToolCall {
  return { type: "tool_call", id, name, args: isRecord(input) ? { ...input } : {} };
}

function writeTurn(blocks: readonly Block[]): LangChainMessage[] {
  const results = blocks.filter(isToolResult).map(({ tool_use_id, content = "", is_error }): LangChainMessage => {
    const items = typeof content === "string" || content.length === 0 ? "" : content.map(writeBlock);
    const status = is_error === true ? { status: "error" as const } : {};
    return {
      role: "tool",
      content: typeof content === "string" ? content : items,
      tool_call_id: tool_use_id,
      ...status,
    };
  });
  const others = blocks.filter((block) => !isToolResult(block)).map(writeBlock);
  return others.length === 0 ? results : [...results, { role: "user", content: others }];
}

function writeBlock(block: Block): LangChainBlock {
  const { role: _, ...fields }: JsonRecord = { ...block };
  const carried = { ...fields, type: block.type };
  if (!isKnownBlock(block)) return carried;
  switch (block.type) {
    case "image": {
      const fileId = asText(fieldAt(block, "source", "file_id"));
      if (fileId !== undefined) return { type: "image", fileId };
      const detail = asText(fieldAt(block, "detail"));
      const url = imageToUrl(block).replace(/^data:image\/jpg;/, "data:image/jpeg;");
      return { type: "image_url", image_url: { url, ...(detail !== undefined && { detail }) } };
    }
    case "reasoning":
      return { ...(writeAnthropicThinking(block) ?? carried) };
    case "text":
    case "tool_use":
    case "tool_result":
      return carried;
  }
}
