import { tryParseJson } from "../../core/json/parse-json.ts";
import { asText, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import {
  type Block,
  type ImageBlock,
  isKnownBlock,
  type Message,
  type ReasoningBlock,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "../../core/message/message.ts";
import { splitTurns } from "../../core/message/repair-view.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { blockAsText, NO_OUTPUT } from "../shared/block-text.ts";
import { blocksOf } from "../shared/join-turns.ts";
import type {
  AiSdkFilePart,
  AiSdkMessage,
  AiSdkReasoningPart,
  AiSdkReplyPart,
  AiSdkTextPart,
  AiSdkToolCallPart,
  AiSdkToolOutput,
  AiSdkToolResultPart,
} from "./ai-sdk-prompt.ts";
import { isJson, writeProviderOptions } from "./seals.ts";

/** Writes messages that `toAiSdk` has arranged. Results become a tool message before the other blocks of their message. */
export function writeMessages(messages: readonly Message[]): AiSdkMessage[] {
  const calls = messages.flatMap(({ content }) => contentBlocks(content).filter(isToolUse));
  const names = new Map(calls.map(({ id, name }) => [id, name]));
  return splitTurns(messages).flatMap((turn) => turn.flatMap((message) => writeMessage(message, names)));
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

/** With this media type, the SDK detects the kind of image itself. */
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

/** Narrows a block that our model does not know: `showBlock` has left only those that came from the SDK. */
function isCarried(part: JsonRecord): part is JsonRecord & AiSdkReplyPart {
  return typeof part.type === "string";
}

// The SDK's functions and its models take the following parts in the same form, in all versions.

export function writeText(block: TextBlock): AiSdkTextPart {
  return { type: "text", text: block.text, ...writeProviderOptions(block) };
}

export function writeThought(block: ReasoningBlock): AiSdkReasoningPart {
  return { type: "reasoning", text: block.text, ...writeProviderOptions(block) };
}

export function writeCall(block: ToolUseBlock): AiSdkToolCallPart {
  const { id, name, input } = block;
  return { type: "tool-call", toolCallId: id, toolName: name, input, ...writeProviderOptions(block) };
}

export function writeResult(block: ToolResultBlock, toolName: string): AiSdkToolResultPart {
  const call = { toolCallId: block.tool_use_id, toolName };
  return { type: "tool-result", ...call, output: writeOutput(block), ...writeProviderOptions(block) };
}

/** The output of a tool. JSON is written as JSON again, unless a fold has changed it. */
function writeOutput(block: ToolResultBlock): AiSdkToolOutput {
  const isError = block.is_error === true;
  const value = resultText(block);
  const type = fieldAt(block, "outputType");
  if (type === "json" || type === "error-json") {
    const json = tryParseJson(value);
    if (json !== undefined && isJson(json)) return { type: isError ? "error-json" : "json", value: json };
  }
  return { type: isError ? "error-text" : "text", value };
}

/** The text of a result, never empty: some servers refuse empty results. */
function resultText({ content = "" }: ToolResultBlock): string {
  const texts = blocksOf({ role: "user", content }).map((block) => asText(blockAsText(block)?.text) ?? "");
  return texts.filter((text) => /\S/.test(text)).join("\n") || NO_OUTPUT;
}
