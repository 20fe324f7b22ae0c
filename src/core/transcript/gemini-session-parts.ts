import { asArray, asName, asRecord, asText, fieldAt, isRecord, type JsonRecord } from "../json/read-json.ts";
import { type Block, type Content, isKnownBlock, type ToolResultBlock } from "../message/message.ts";
import { serialize } from "../tokens/serialize.ts";
import { textBlocks } from "./transcript-draft.ts";

/** Reads the content of a record in a Gemini session file: a text, one part, or a list of either. `name` is the prefix of ids for calls without one. */
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
  // A part with an empty text may have a signature, which must be kept.
  return text.trim() === "" && Object.keys(rest).length === 1 ? [] : [{ ...rest, type: "text", text }];
}

function readCall(part: JsonRecord, call: JsonRecord, fallbackId: string): Block {
  const { functionCall: _, ...rest } = part;
  const id = asName(call.id) ?? fallbackId;
  return { ...rest, type: "tool_use", id, name: asText(call.name) ?? "", input: call.args ?? {} };
}

/** Reads a function's response; `fallbackId` is the id of its call, for responses without an id. */
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
  // Gemini's parts have no type, so the name of the first field is used. A part whose field has the name of a known type becomes text.
  const type = Object.keys(part)[0] ?? "part";
  return isKnownBlock({ type }) ? { type: "text", text: serialize(part) } : { ...part, type };
}
