import type { JsonRecord } from "../json/read-json.ts";
import {
  type Block,
  type Content,
  type ImageBlock,
  isKnownBlock,
  type Message,
  type ToolUseBlock,
} from "../message/message.ts";
import { isToolResult } from "../message/tool-pairs.ts";
import { serialize } from "../tokens/serialize.ts";
import { imageToUrl } from "./data-url.ts";

/**
 * Writes messages in the form of OpenAI's chat API: the reverse of `readOpenAiMessages`. Each tool result becomes a message of its own,
 * images in results follow in a message of the user, and the error flag of results is lost.
 */
export function writeOpenAiMessages(messages: readonly Message[], systemPrompt?: string): readonly JsonRecord[] {
  const system = systemPrompt === undefined ? [] : [{ role: "system", content: systemPrompt }];
  return [...system, ...messages.flatMap(writeMessage)];
}

function writeMessage(message: Message): readonly JsonRecord[] {
  return message.role === "assistant" ? [writeAssistant(message.content)] : writeUser(message);
}

function writeUser(message: Message): readonly JsonRecord[] {
  const role = "sourceRole" in message && typeof message.sourceRole === "string" ? message.sourceRole : "user";
  if (typeof message.content === "string") return [{ role, content: message.content }];
  const results = message.content.filter(isToolResult);
  const images = results.flatMap(({ content = "" }) => (typeof content === "string" ? [] : content.filter(isImage)));
  const parts = [...images, ...message.content.filter((block) => !isToolResult(block))].map(writePart);
  return [
    ...results.map(({ tool_use_id, content = "" }) => ({
      role: "tool",
      tool_call_id: tool_use_id,
      content: typeof content === "string" ? content : content.filter((block) => !isImage(block)).map(writePart),
    })),
    ...(parts.length === 0 ? [] : [{ role, content: parts }]),
  ];
}

function writeAssistant(content: Content): JsonRecord {
  if (typeof content === "string") return { role: "assistant", content };
  const calls: JsonRecord[] = [];
  const parts: JsonRecord[] = [];
  const reasoningTexts: string[] = [];
  let details: unknown;
  for (const block of content) {
    if (!isKnownBlock(block)) parts.push({ ...block });
    else if (block.type === "tool_use") calls.push(writeCall(block));
    else if (block.type === "reasoning") {
      reasoningTexts.push(block.text);
      details ??= "reasoning_details" in block ? block.reasoning_details : undefined;
    } else parts.push(writePart(block));
  }
  const [part] = parts;
  const hasMore = calls.length > 0 || reasoningTexts.length > 0;
  const soleText = hasMore && parts.length === 1 && part?.type === "text" ? part.text : undefined;
  return {
    role: "assistant",
    content: soleText ?? (parts.length === 0 ? null : parts),
    ...(reasoningTexts.some((text) => text !== "") && { reasoning_content: reasoningTexts.join("\n\n") }),
    ...(details !== undefined && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function writeCall({ id, name, input }: ToolUseBlock): JsonRecord {
  const text = typeof input === "string" ? input : serialize(input);
  return { id, type: "function", function: { name, arguments: text } };
}

function writePart(block: Block): JsonRecord {
  return isImage(block) ? { type: "image_url", image_url: { url: imageToUrl(block) } } : { ...block };
}

function isImage(block: Block): block is ImageBlock {
  return isKnownBlock(block) && block.type === "image";
}
