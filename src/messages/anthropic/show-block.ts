import { asText, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import {
  type Block,
  type ImageBlock,
  isKnownBlock,
  type KnownBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "../../core/message/message.ts";
import { writeAnthropicThinking } from "../../core/transcript/anthropic-messages.ts";
import { imageFromUrl, isBase64 } from "../../core/transcript/data-url.ts";
import { blockAsText, isEmptyResult, NO_OUTPUT } from "../shared/block-text.ts";
import { fitInput, fitToolName } from "../shared/call-ids.ts";
import { type Document, pdfOf, readDocument } from "../shared/documents.ts";
import type { BlockPlace } from "../shared/sendable.ts";
import type { AnthropicImageType } from "./anthropic-prompt.ts";
import { pickFields } from "./fields.ts";

/** The types of Anthropic's blocks that our model does not know and that are sent unchanged, by where the API takes them. */
const OWN_TYPES = {
  user: /^(?:document|search_result|container_upload)$/,
  assistant: /^(?:redacted_thinking|server_tool_use|container_upload|compaction|mcp_\w+|\w+_tool_result)$/,
  result: /^(?:document|search_result|tool_reference|browser_state)$/,
} as const;

const MAX_NAME_LENGTH = 128;

/** The block in a form that the API takes, still in our model; undefined for reasoning without a signature, and for blank blocks. */
export function showBlock(block: Block, place: BlockPlace): Block | undefined {
  if (isKnownBlock(block)) return showKnown(block, place);
  if (isOwnBlock(block, place)) return block;
  const document = place.role === "user" ? readDocument(block) : undefined;
  return document === undefined ? blockAsText(block) : showDocument(block, document);
}

/** A document of another wire: its address, its bytes if it is a PDF, or else a line of text about it. */
function showDocument(block: Block, document: Document): Block | undefined {
  const title = document.filename === undefined ? {} : { title: document.filename };
  if (document.type === "link") return { type: "document", source: { type: "url", url: document.url }, ...title };
  const pdf = pdfOf(document);
  if (pdf === undefined || !isBase64(pdf.data)) return blockAsText(block);
  return { type: "document", source: { type: "base64", media_type: "application/pdf", data: pdf.data }, ...title };
}

function isOwnBlock({ type, ...rest }: Block, { role, isInResult }: BlockPlace): boolean {
  // Blocks of a system message: `writeMessage` makes one of them again.
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

/** The role of a text that comes from a system message within the conversation. */
function systemRole(block: Block, { role, isInResult }: BlockPlace): JsonRecord {
  const isSystem = role === "user" && !isInResult && fieldAt(block, "role") === "system";
  return isSystem ? { role: "system" } : {};
}

function showCall(block: ToolUseBlock): Block {
  const { id, name, input } = block;
  const shownName = fitToolName(name, { maxLength: MAX_NAME_LENGTH });
  return { ...pickFields(block), type: "tool_use", id, name: shownName, input: fitInput(input) };
}

/** The API refuses `is_error` on a result that holds anything else than text, or nothing. */
function showResult(block: ToolResultBlock): Block {
  const { content: given, is_error: _, ...rest } = pickFields(block);
  const content = block.is_error === true && isEmptyResult(block) ? NO_OUTPUT : given;
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

/** An image that the API takes, a PDF as a document, or else a line of text about the image. */
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
  const document = readDocument(block);
  if (document !== undefined) return showDocument(block, document);
  const image = imageFromUrl(url);
  if (image.source.type === "base64") return showImage({ ...block, source: image.source });
  return /^https?:/i.test(url) ? { ...pickFields(block), type: "image", source: image.source } : blockAsText(block);
}
