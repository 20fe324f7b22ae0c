import { asArray, asName, asRecord, asText, fieldAt, isRecord, type JsonRecord } from "../json/read-json.ts";
import { type Block, type Content, isKnownBlock, type ToolResultBlock } from "../message/message.ts";
import { serialize } from "../tokens/serialize.ts";
import { textBlocks } from "./transcript-draft.ts";

/** Reads content in Gemini's parts: a text, one part, or a list of either. `name` begins the ids of calls that have none. */
export function readGeminiParts(content: unknown, name: string): readonly Block[] {
  if (content === undefined || content === null) return [];
  const parts = Array.isArray(content) ? content : [content];
  return parts.flatMap((part: unknown, index) => readPart(part, `${name}/call-${index}`));
}

function readPart(value: unknown, fallbackId: string): readonly Block[] {
  if (typeof value === "string") return textBlocks(value);
  const part = asRecord(value);
  if (part === undefined) return [{ type: "text", text: serialize(value) }];
  const { functionCall, functionResponse, text } = part;
  if (isRecord(functionCall)) return [readCall(part, functionCall, fallbackId)];
  if (isRecord(functionResponse)) return [readResponse(functionResponse, fallbackId)];
  if (typeof text === "string") return readText(part, text);
  return [readMedia(part)];
}

function readText(part: JsonRecord, text: string): readonly Block[] {
  const { thought, ...rest } = part;
  if (thought === true) return [{ ...rest, type: "reasoning", text }];
  // A signature can come on a part without text, and has to go back with it.
  return text.trim() === "" && Object.keys(rest).length === 1 ? [] : [{ ...rest, type: "text", text }];
}

function readCall(part: JsonRecord, call: JsonRecord, fallbackId: string): Block {
  const { functionCall: _, ...rest } = part;
  const id = asName(call.id) ?? fallbackId;
  return { ...rest, type: "tool_use", id, name: asText(call.name) ?? "", input: call.args ?? {} };
}

/** A function's answer; `fallbackId` is that of its call, where it does not name it. */
export function readResponse(response: JsonRecord, fallbackId: string): ToolResultBlock {
  const body = asRecord(response.response);
  const error = body?.error;
  const media = asArray(response.parts).flatMap((part) => readPart(part, fallbackId));
  const text = asText(body?.output) ?? asText(error) ?? (body === undefined ? "" : serialize(body));
  const content: Content = media.length === 0 ? text : [...textBlocks(text), ...media];
  return {
    type: "tool_result",
    tool_use_id: asName(response.id) ?? fallbackId,
    content,
    ...(error !== undefined && error !== null && { is_error: true }),
  };
}

function readMedia(part: JsonRecord): Block {
  const mediaType = asText(fieldAt(part, "inlineData", "mimeType"));
  const bytes = asText(fieldAt(part, "inlineData", "data"));
  if (mediaType?.startsWith("image/") && bytes !== undefined) {
    return { type: "image", source: { type: "base64", media_type: mediaType, data: bytes } };
  }
  // Gemini's parts have no type: the name of their field says what they are. What would only pass for a block of ours is text.
  const type = Object.keys(part)[0] ?? "part";
  return isKnownBlock({ type }) ? { type: "text", text: serialize(part) } : { ...part, type };
}
