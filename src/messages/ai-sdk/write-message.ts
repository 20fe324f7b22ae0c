import { asText, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, type ImageBlock, isKnownBlock, type Message } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { blockAsText } from "../shared/block-text.ts";
import { turnsOf } from "../shared/join-turns.ts";
import type { AiSdkFilePart, AiSdkMessage, AiSdkReplyPart, AiSdkTextPart } from "./ai-sdk-prompt.ts";
import { writeProviderOptions } from "./seals.ts";
import { writeCall, writeResult, writeText, writeThought } from "./write-part.ts";

/** Messages that are arranged for the AI SDK, block for block; what tools returned goes before the rest of a turn. */
export function writeMessages(messages: readonly Message[]): AiSdkMessage[] {
  const calls = messages.flatMap(({ content }) => contentBlocks(content).filter(isToolUse));
  const names = new Map(calls.map(({ id, name }) => [id, name]));
  return turnsOf(messages).flatMap((turn) => turn.flatMap((message) => writeMessage(message, names)));
}

function writeMessage({ role, content }: Message, names: ReadonlyMap<string, string>): AiSdkMessage[] {
  if (typeof content === "string") return [{ role, content }];
  if (role === "assistant") return [{ role, content: content.flatMap(writeReplyPart) }];
  const results = content.filter(isToolResult).map((block) => writeResult(block, names.get(block.tool_use_id) ?? ""));
  const others = content.flatMap(writeUserPart);
  const tool: AiSdkMessage[] = results.length === 0 ? [] : [{ role: "tool", content: results }];
  return others.length === 0 ? tool : [...tool, { role, content: others }];
}

function writeUserPart(block: Block): (AiSdkTextPart | AiSdkFilePart)[] {
  if (isToolResult(block)) return [];
  if (isKnownBlock(block) && block.type === "text") return [writeText(block)];
  if (isKnownBlock(block) && block.type === "image") return [writeFile(block)];
  const text = blockAsText(block);
  return text === undefined ? [] : [writeText(text)];
}

/** The SDK finds out what kind of image it is. */
const ANY_IMAGE = "image/*";

function writeFile(block: ImageBlock): AiSdkFilePart {
  const { source } = block;
  const filename = asText(fieldAt(block, "filename"));
  const isInline = source.type === "base64";
  return {
    type: "file",
    data: isInline ? source.data : new URL(source.url),
    mediaType: isInline ? source.media_type : (asText(fieldAt(block, "mediaType")) ?? ANY_IMAGE),
    ...(filename !== undefined && { filename }),
    ...writeProviderOptions(block),
  };
}

function writeReplyPart(block: Block): AiSdkReplyPart[] {
  if (!isKnownBlock(block)) return [{ ...block }].filter(isCarried);
  switch (block.type) {
    case "text":
      return [writeText(block)];
    case "reasoning":
      return [writeThought(block)];
    case "tool_use":
      return [writeCall(block)];
    case "image":
    case "tool_result":
      return [];
  }
}

/** `showBlock` has left no other blocks of types that we do not know than those that came from the SDK. */
function isCarried(part: JsonRecord): part is JsonRecord & AiSdkReplyPart {
  return typeof part.type === "string";
}
