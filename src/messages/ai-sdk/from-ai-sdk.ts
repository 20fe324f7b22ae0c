import { assert, assertArray } from "../../core/assert.ts";
import { asArray, asText, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block, ImageSource, Message } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { assertList, type WholeResponse } from "../shared/assert-list.ts";
import type { AiSdkMessageLike } from "./ai-sdk-prompt.ts";
import { readProviderOptions } from "./seals.ts";

/**
 * Converts messages of the AI SDK (versions 5, 6 and 7) to ours, ready for `session.append`: `result.response.messages`, or those that you keep
 * yourself. Tool messages become user messages; a system message becomes a user's text with the `role`. Options of a whole message are left out.
 * @example
 * ```ts
 * import { fromAiSdk } from "palimpsest/messages";
 * const reply = { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a.ts" } }] };
 * console.log(fromAiSdk([reply])[0]?.content[0]); // { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a.ts' } }
 * ```
 */
export function fromAiSdk(list: readonly AiSdkMessageLike[]): readonly Message[] {
  assertList("messages", list, RESULT);
  return list.map((item, index) => readAiSdkMessage(item, `messages[${index}]`));
}

/**
 * Converts one message, of those that the SDK's functions take or those in a model's prompt. Each part becomes the block at the same index.
 * Throws if it is no message; `where` names it in the error.
 */
export function readAiSdkMessage(item: unknown, where: string): Message {
  assert(isRecord(item), where, item, "a message with role and content");
  const { role, content } = item;
  const roles = '"user", "assistant", "tool" or "system"';
  if (role === "system") {
    assert(typeof content === "string", `${where}.content`, content, "a string");
    const block: Block = { type: "text", text: content, role: "system" };
    return { role: "user", content: [block] };
  }
  assert(role === "user" || role === "assistant" || role === "tool", `${where}.role`, role, roles);
  if (typeof content === "string" && role !== "tool") return { role, content };
  assertArray(`${where}.content`, content);
  const isTool = role === "tool";
  const blocks = content.map((part, index) => readPart(part, { where: `${where}.content[${index}]`, isTool }));
  return { role: isTool ? "user" : role, content: blocks };
}

const RESULT: WholeResponse = {
  isWhole: ({ response }) => Array.isArray(fieldAt(response, "messages")),
  messages: "result.response.messages",
};

interface PartPlace {
  readonly where: string;
  /** Whether it is part of a tool message. */
  readonly isTool: boolean;
}

function readPart(part: unknown, { where, isTool }: PartPlace): Block {
  assert(isRecord(part) && typeof part.type === "string", where, part, "a part with a type");
  const { type } = part;
  const options = readProviderOptions(part.providerOptions);
  if ((type === "text" || type === "reasoning") && typeof part.text === "string") {
    return { type, text: part.text, ...options };
  }
  if (type === "file" || type === "image") return readMedia(part);
  if (type === "tool-call" && part.providerExecuted !== true) {
    const { toolCallId, toolName, input } = part;
    return { type: "tool_use", id: asText(toolCallId) ?? "", name: asText(toolName) ?? "", input, ...options };
  }
  if (type === "tool-result" && isTool) {
    return { type: "tool_result", tool_use_id: asText(part.toolCallId) ?? "", ...readOutput(part), ...options };
  }
  // Calls and results of the provider's own tools, approvals and the like: our model has no block for them.
  const plain = plainValue(part);
  return { type, ...(isRecord(plain) && plain) };
}

const DENIED = "[The call was not allowed.]";

/** The content of a tool's result; `outputType` tells JSON from text, so that `toAiSdk` can write it back. */
function readOutput(part: JsonRecord): JsonRecord {
  const output = isRecord(part.output) ? part.output : { type: "json", value: part.output ?? null };
  const { type, value } = output;
  const failed =
    type === "error-text" || type === "error-json" || type === "execution-denied" ? { is_error: true } : {};
  switch (type) {
    case "content":
      return { content: asArray(value).map(readItem) };
    case "execution-denied":
      return { content: asText(output.reason) ?? DENIED, ...failed };
    case "text":
    case "error-text":
      return { content: asText(value) ?? serialize(value), ...failed };
    default:
      return { content: serialize(value ?? null), ...failed, outputType: type === "error-json" ? type : "json" };
  }
}

function readItem(item: unknown): Block {
  if (!isRecord(item)) return { type: "text", text: serialize(item) };
  const { type, text } = item;
  if (type === "text" && typeof text === "string") return { type, text, ...readProviderOptions(item.providerOptions) };
  const isMedia = typeof type === "string" && (type === "media" || /^(?:file|image)(?:-data|-url)?$/.test(type));
  if (isMedia) return readMedia(item);
  const plain = plainValue(item);
  return { type: asText(type) ?? "unknown", ...(isRecord(plain) && plain) };
}

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;
const ANY_IMAGE = "image/*";

/**
 * Reads a file or an image in any form of versions 5, 6 and 7. Every file becomes an image block with its media type, so that it is counted as
 * media and not as the text of its base64. A reference to a provider's storage is carried as it is.
 */
function readMedia(part: JsonRecord): Block {
  const mediaType = asText(part.mediaType);
  const isImage = part.type === "image" || (asText(part.type)?.startsWith("image-") ?? false);
  const source = sourceOf(
    part.data ?? part.image ?? part.url,
    mediaType ?? (isImage ? ANY_IMAGE : "application/octet-stream"),
  );
  const plain = plainValue(part);
  if (source === undefined) return { type: "file", ...(isRecord(plain) && plain) };
  return {
    type: "image",
    source,
    ...(source.type === "url" && mediaType !== undefined && { mediaType }),
    ...(typeof part.filename === "string" && { filename: part.filename }),
    ...readProviderOptions(part.providerOptions),
  };
}

function sourceOf(data: unknown, mediaType: string): ImageSource | undefined {
  if (isRecord(data) && data.type === "data") return sourceOf(data.data, mediaType);
  if (isRecord(data) && data.type === "url") return sourceOf(data.url, mediaType);
  if (data instanceof URL) return sourceOf(data.href, mediaType);
  const bytes = bytesOf(data);
  if (bytes !== undefined) return { type: "base64", media_type: mediaType, data: toBase64(bytes) };
  if (typeof data !== "string" || data === "") return undefined;
  if (/^https?:/i.test(data)) return { type: "url", url: data };
  // Only the beginning is matched: the rest may be megabytes.
  const [prefix, ownType = ""] = DATA_URL.exec(data.slice(0, 200)) ?? [];
  if (prefix === undefined) return { type: "base64", media_type: mediaType, data };
  return { type: "base64", media_type: ownType === "" ? mediaType : ownType, data: data.slice(prefix.length) };
}

/** A copy that JSON can hold: bytes as base64, URLs as text, no undefined fields. */
function plainValue(value: unknown): unknown {
  if (value instanceof URL) return value.href;
  const bytes = bytesOf(value);
  if (bytes !== undefined) return toBase64(bytes);
  if (Array.isArray(value)) return value.map(plainValue);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, plainValue(field)]));
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
}

/** A number of arguments that every JavaScript engine takes in one call. */
const CHUNK_BYTES = 8_192;

/** Does not use Buffer: the AI SDK also runs where there is none. */
function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  return btoa(binary);
}
