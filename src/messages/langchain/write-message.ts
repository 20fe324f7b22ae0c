import { asText, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type Message, type ToolUseBlock } from "../../core/message/message.ts";
import { isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { writeAnthropicThinking } from "../../core/transcript/anthropic-messages.ts";
import { imageToUrl } from "../../core/transcript/data-url.ts";
import { showMessage } from "../shared/sendable.ts";
import type {
  LangChainAssistantMessage,
  LangChainBlock,
  LangChainMessage,
  LangChainToolCall,
} from "./langchain-prompt.ts";
import { showBlock } from "./show-block.ts";

/** One message of a view that is in order as a whole: its neighbours are sent as they are. */
export function writeViewMessage(message: Message): LangChainMessage[] {
  return writeMessage(showMessage(message, showBlock));
}

/** One of our messages in LangChain's: each result is one of its own, and what else was said comes behind them. */
export function writeMessage({ role, content }: Message): LangChainMessage[] {
  if (typeof content === "string") return [{ role, content }];
  return role === "assistant" ? [writeReply(content)] : writeTurn(content);
}

function writeReply(blocks: readonly Block[]): LangChainAssistantMessage {
  const calls = blocks.filter(isToolUse);
  const said = blocks.filter((block) => !isToolUse(block));
  if (calls.length === 0) return { role: "assistant", content: said.map(writeBlock) };
  // Only where something is said behind a call, its place matters: the blocks then name it too.
  const isLast = blocks.findLastIndex((block) => !isToolUse(block)) < blocks.findIndex(isToolUse);
  const content = isLast ? contentOf(said) : blocks.map(writeBlock);
  return { role: "assistant", content, tool_calls: calls.map(writeCall) };
}

/** One text is a string: not every provider takes a list of blocks beside calls. */
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
  const said = blocks.filter((block) => !isToolResult(block)).map(writeBlock);
  return said.length === 0 ? results : [...results, { role: "user", content: said }];
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
