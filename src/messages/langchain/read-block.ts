import { asName, asRecord, asText, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";
import { readAnthropicBlock, readSealedThinking } from "../../core/transcript/anthropic-messages.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";

/** Where a stream is in a list of blocks, and pieces of arguments that the list of calls has whole. */
const STREAM_FIELDS: ReadonlySet<string> = new Set(["index"]);
const STREAM_TYPES: ReadonlySet<string> = new Set(["input_json_delta", "functionCall"]);

/** A block of LangChain's as ours: none where it is part of something that is read elsewhere. What is not known is carried. */
export function readBlock(value: unknown): readonly Block[] {
  const block = asRecord(value);
  const type = asText(block?.type);
  if (block === undefined || type === undefined) return [readAnthropicBlock(value)];
  if (STREAM_TYPES.has(type)) return [];
  const whole = Object.fromEntries(Object.entries(block).filter(([field]) => !STREAM_FIELDS.has(field)));
  return [readWhole(whole, type)];
}

function readWhole(block: JsonRecord, type: string): Block {
  switch (type) {
    case "image_url":
      return readLinkedImage(block) ?? { ...block, type };
    case "image":
      return readImage(block);
    case "redacted_thinking":
      return readSealedThinking(block);
    case "reasoning":
      return readReasoning(block);
    case "tool_call": {
      const { id, name, args } = block;
      return { type: "tool_use", id: asText(id) ?? "", name: asText(name) ?? "", input: args ?? {} };
    }
    default:
      return readAnthropicBlock(block);
  }
}

/** Of a reasoning block in LangChain's standard form, `reasoning` is the text. */
function readReasoning({ reasoning, ...rest }: JsonRecord): Block {
  return { ...rest, type: "reasoning", text: asText(reasoning) ?? asText(rest.text) ?? "" };
}

function readLinkedImage({ image_url: image, ...rest }: JsonRecord): Block | undefined {
  const url = asText(image) ?? asText(fieldAt(image, "url"));
  const detail = asName(fieldAt(image, "detail"));
  return url === undefined ? undefined : { ...rest, ...(detail !== undefined && { detail }), ...imageFromUrl(url) };
}

/** An image in the standard form of LangChain 1, in that before it, or in Anthropic's. */
function readImage(block: JsonRecord): Block {
  const { url, data, mimeType, mime_type, fileId } = block;
  if (isRecord(block.source)) return { ...block, type: "image" };
  if (typeof url === "string") return imageFromUrl(url);
  const mediaType = asName(mimeType) ?? asName(mime_type) ?? "image/jpeg";
  if (typeof data === "string") return { type: "image", source: { type: "base64", media_type: mediaType, data } };
  if (typeof fileId === "string") return { type: "image", source: { type: "file", file_id: fileId } };
  return { type: "part", part: block };
}
