import { asText, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import {
  type Block,
  type ImageBlock,
  isKnownBlock,
  type KnownBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "../../core/message/message.ts";
import { writeAnthropicThinking } from "../../core/transcript/anthropic-messages.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";
import { blockAsText, isBase64 } from "../shared/block-text.ts";
import { fitToolName } from "../shared/call-ids.ts";
import type { BlockPlace } from "../shared/sendable.ts";
import type { AnthropicImageType } from "./anthropic-prompt.ts";
import { pickFields } from "./fields.ts";

/** Blocks of this API that we only carry, by where it takes them. */
const OWN_TYPES = {
  user: /^(?:document|search_result|container_upload)$/,
  assistant: /^(?:redacted_thinking|server_tool_use|container_upload|compaction|mcp_\w+|\w+_tool_result)$/,
  result: /^(?:document|search_result|tool_reference|browser_state)$/,
} as const;

const MAX_NAME_LENGTH = 128;

/** A block as this API can say it; undefined for reasoning that nobody signed, and for what says nothing. */
export function showBlock(block: Block, place: BlockPlace): Block | undefined {
  if (isKnownBlock(block)) return showKnown(block, place);
  return isOwnBlock(block, place) ? block : blockAsText(block);
}

function isOwnBlock({ type, ...rest }: Block, { role, isInResult }: BlockPlace): boolean {
  // Settings of the system's are written apart; see system-messages.ts.
  if ("role" in rest) return rest.role === "system" && /^tool_(?:addition|removal)$/.test(type);
  return OWN_TYPES[isInResult ? "result" : role].test(type);
}

function showKnown(block: KnownBlock, place: BlockPlace): Block | undefined {
  switch (block.type) {
    case "text":
      return { ...pickFields(block), type: "text", text: block.text, ...systemRole(block, place) };
    case "reasoning":
      return writeAnthropicThinking(block) === undefined ? undefined : block;
    case "image":
      return place.role === "assistant" && !place.isInResult ? blockAsText(block) : showImage(block);
    case "tool_use":
      return showCall(block);
    case "tool_result":
      return showResult(block);
  }
}

/** What a system message among the others said: the adapter of this API marks it so. */
function systemRole(block: Block, { role, isInResult }: BlockPlace): JsonRecord {
  const isSystem = role === "user" && !isInResult && fieldAt(block, "role") === "system";
  return isSystem ? { role: "system" } : {};
}

function showCall(block: ToolUseBlock): Block {
  const { id, name, input } = block;
  const shownInput = isRecord(input) ? input : input === undefined || input === null ? {} : { input };
  const shownName = fitToolName(name, { maxLength: MAX_NAME_LENGTH });
  return { ...pickFields(block), type: "tool_use", id, name: shownName, input: shownInput };
}

/** An error is told in text alone: with anything else in it, the API refuses the mark. */
function showResult(block: ToolResultBlock): Block {
  const { content, is_error: _, ...rest } = pickFields(block);
  const isText = !Array.isArray(content) || content.every((item) => fieldAt(item, "type") === "text");
  const mark = block.is_error !== undefined && isText ? { is_error: block.is_error } : {};
  return {
    ...rest,
    type: "tool_result",
    tool_use_id: block.tool_use_id,
    ...(content !== undefined && { content }),
    ...mark,
  };
}

const IMAGE_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

export function isImageType(mediaType: string | undefined): mediaType is AnthropicImageType {
  return mediaType !== undefined && IMAGE_TYPES.includes(mediaType);
}

/** An image that it takes, a PDF as the document that it is, and else a line about it. */
function showImage(block: ImageBlock): Block | undefined {
  const fields = pickFields(block);
  const source: JsonRecord = block.source;
  if (source.type === "file") return { ...fields, type: "image", source };
  if (source.type === "url") return showLinked(block, asText(source.url) ?? "");
  const { data } = source;
  const mediaType = asText(source.media_type)?.replace(/^image\/jpg$/, "image/jpeg");
  if (!isBase64(data)) return blockAsText(block);
  if (mediaType === "application/pdf") {
    return { type: "document", source: { type: "base64", media_type: mediaType, data } };
  }
  if (!isImageType(mediaType)) return blockAsText(block);
  return { ...fields, type: "image", source: { type: "base64", media_type: mediaType, data } };
}

function showLinked(block: ImageBlock, url: string): Block | undefined {
  const image = imageFromUrl(url);
  if (image.source.type === "base64") return showImage({ ...block, source: image.source });
  return /^https?:/i.test(url) ? { ...pickFields(block), type: "image", source: image.source } : blockAsText(block);
}
