import { asArray, isRecord, type JsonRecord } from "../json/read-json.ts";
import { type Block, type Content, isKnownBlock, type Message } from "../message/message.ts";
import { serialize } from "../tokens/serialize.ts";
import { protoField } from "./gemini-proto-fields.ts";

/** The context of a part. */
export interface PartPlace {
  readonly role: Message["role"];
  /** The id of the call that the part is or answers; unused for other parts. */
  readonly callId: string;
}

/** Reads a part of Gemini's API as exactly one block, so that blocks and parts have the same indexes. */
export function readPart(part: unknown, place: PartPlace): Block {
  const call = callOf(part);
  if (isRecord(part) && call !== undefined) {
    const { functionCall: _, function_call: __, ...rest } = part;
    const name = typeof call.name === "string" ? call.name : "";
    return { ...rest, type: "tool_use", id: place.callId, name, input: call.args ?? {} };
  }
  const response = responseOf(part);
  return response === undefined ? readItem(part, place.role) : readResponse(response, place);
}

export function callOf(part: unknown): JsonRecord | undefined {
  const call = isRecord(part) ? protoField(part, "functionCall") : undefined;
  return isRecord(call) ? call : undefined;
}

export function responseOf(part: unknown): JsonRecord | undefined {
  const response = isRecord(part) ? protoField(part, "functionResponse") : undefined;
  return isRecord(response) ? response : undefined;
}

function readItem(part: unknown, role: Message["role"]): Block {
  if (!isRecord(part)) return { type: "part", value: part };
  if (typeof part.text === "string") return readText(part, part.text, role);
  return readMedia(part) ?? readUnknown(part);
}

function readText(part: JsonRecord, text: string, role: Message["role"]): Block {
  const isSigned = protoField(part, "thoughtSignature") !== undefined;
  // The signature of thoughts that are not shown comes with an empty text.
  const isReasoning = part.thought === true || (text === "" && isSigned);
  if (isReasoning && role === "assistant") return { ...part, type: "reasoning", text };
  // Models do write white space, and Gemini accepts it back, but our text blocks may not be blank.
  return { ...part, type: /\S/.test(text) ? "text" : "blank_text", text };
}

function readResponse(response: JsonRecord, { callId }: PartPlace): Block {
  const text = responseText(response.response);
  const media = asArray(response.parts).map((part) => readItem(part, "user"));
  const lead: readonly Block[] = /\S/.test(text) ? [{ type: "text", text }] : [];
  const content: Content = media.length === 0 ? text : [...lead, ...media];
  return {
    type: "tool_result",
    tool_use_id: callId,
    content,
    ...(isFailed(response.response) ? { is_error: true } : {}),
  };
}

/** Reads any inline media as an image block, sound and documents too: in an unknown block, their base64 would be counted as text. */
function readMedia(part: JsonRecord): Block | undefined {
  const { inlineData: _, inline_data: __, ...rest } = part;
  const media = protoField(part, "inlineData");
  const mediaType = isRecord(media) ? protoField(media, "mimeType") : undefined;
  if (!isRecord(media) || typeof mediaType !== "string" || typeof media.data !== "string") return undefined;
  const source = { type: "base64", media_type: mediaType, data: media.data };
  return { ...rest, type: "image", source };
}

/** An unknown part as a block: a part has no type, so the name of its first field is used. */
function readUnknown(part: JsonRecord): Block {
  const type = Object.keys(part)[0] ?? "part";
  return { ...part, type: isKnownBlock({ type }) ? "part" : type };
}

/** The fields in which agents put a tool's output. */
const TEXT_FIELDS: readonly string[] = ["output", "content", "result", "error"];

/** The field that has the whole text of a response; undefined where it has other fields, or none. */
export function textFieldOf(fieldNames: Iterable<string>): string | undefined {
  // some SDKs repeat the function's name in the response
  const others = [...fieldNames].filter((name) => name !== "name");
  return others.length === 1 ? TEXT_FIELDS.find((name) => name === others[0]) : undefined;
}

/** The text of a response: its text field, else its JSON; empty where there is none. */
function responseText(response: unknown): string {
  if (response === undefined || response === null) return "";
  const field = isRecord(response) ? textFieldOf(Object.keys(response)) : undefined;
  const text = isRecord(response) && field !== undefined ? response[field] : undefined;
  return typeof text === "string" ? text : serialize(response);
}

function isFailed(response: unknown): boolean {
  return isRecord(response) && response.error !== undefined && response.error !== null;
}
