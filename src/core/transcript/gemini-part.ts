import { asArray, isRecord, type JsonRecord } from "../json/read-json.ts";
import { type Block, type Content, isKnownBlock, type Message } from "../message/message.ts";
import { serialize } from "../tokens/serialize.ts";
import { protoField } from "./gemini-proto-fields.ts";

/** Where a part stands. */
export interface PartPlace {
  readonly role: Message["role"];
  /** The id of the call that it is or answers, if it is or answers one. */
  readonly callId: string;
}

/** One block per part, so that the place of a block is the place of its part. */
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
  // A signature of thoughts that are not shown comes on a text without characters.
  const isReasoning = part.thought === true || (text === "" && isSigned);
  if (isReasoning && role === "assistant") return { ...part, type: "reasoning", text };
  // Models do say white space, and Gemini takes it back; no block of ours may be blank.
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

/** Sounds and documents too: as an unknown block, their base64 would count as text. */
function readMedia(part: JsonRecord): Block | undefined {
  const { inlineData: _, inline_data: __, ...rest } = part;
  const media = protoField(part, "inlineData");
  const mediaType = isRecord(media) ? protoField(media, "mimeType") : undefined;
  if (!isRecord(media) || typeof mediaType !== "string" || typeof media.data !== "string") return undefined;
  const source = { type: "base64", media_type: mediaType, data: media.data };
  return { ...rest, type: "image", source };
}

/** A part has no type: the name of its field says what it is. */
function readUnknown(part: JsonRecord): Block {
  const type = Object.keys(part)[0] ?? "part";
  return { ...part, type: isKnownBlock({ type }) ? "part" : type };
}

/** Where agents put a tool's output. */
const TEXT_FIELDS: readonly string[] = ["output", "content", "result", "error"];

/** The field of a response that is all its text, if it is a string; undefined where there is no one such field. */
export function textFieldOf(fieldNames: Iterable<string>): string | undefined {
  // some SDKs repeat the function's name in here
  const others = [...fieldNames].filter((name) => name !== "name");
  return others.length === 1 ? TEXT_FIELDS.find((name) => name === others[0]) : undefined;
}

/** What a function answered, as text: of that one field, else the JSON of all of it. Empty where there is nothing. */
function responseText(response: unknown): string {
  if (response === undefined || response === null) return "";
  const field = isRecord(response) ? textFieldOf(Object.keys(response)) : undefined;
  const text = isRecord(response) && field !== undefined ? response[field] : undefined;
  return typeof text === "string" ? text : serialize(response);
}

function isFailed(response: unknown): boolean {
  return isRecord(response) && response.error !== undefined && response.error !== null;
}
