import { assert, assertArray } from "../../core/assert.ts";
import { asArray, asText, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { plainValue } from "./plain-value.ts";
import { readMedia } from "./read-media.ts";
import { readProviderOptions } from "./seals.ts";

/**
 * A message of the AI SDK as ours, of those that its functions take or of those in a model's prompt. Part by part: a part and its block have
 * the same place.
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

interface PartPlace {
  readonly where: string;
  /** Whether it is part of a message with what tools returned. */
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
  // What the provider's own tools did, approvals and the like: nothing of ours has a place for it.
  const plain = plainValue(part);
  return { type, ...(isRecord(plain) && plain) };
}

const DENIED = "[The call was not allowed.]";

/** What a tool returned; `outputType` tells JSON from text, so that it can be written back. */
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
