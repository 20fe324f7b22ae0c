import { assert } from "../../core/assert.ts";
import { asArray, asName, asRecord, asText, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block, Content, Message } from "../../core/message/message.ts";
import { isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { readAnthropicBlock, readSealedThinking } from "../../core/transcript/anthropic-messages.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";
import { assertList, type WholeResponse } from "../shared/assert-list.ts";
import { blocksOf } from "../shared/join-turns.ts";
import type { LangChainMessageLike } from "./langchain-prompt.ts";

/**
 * Converts LangChain's messages to ours, ready for `session.append`. Takes `HumanMessage`, `AIMessage`, `ToolMessage` and `SystemMessage` as well
 * as plain objects. Tool messages in a row become one user message; a system message becomes a user message whose blocks have the `role`. Ids,
 * usage and metadata are no content, and are left out.
 * @example
 * ```ts
 * import { fromLangChain } from "palimpsest/messages";
 * const tool_calls = [{ type: "tool_call", id: "c1", name: "read", args: { path: "a.ts" } }];
 * const [reply] = fromLangChain([{ role: "assistant", content: "", tool_calls }]);
 * console.log(reply?.content); // [ { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a.ts' } } ]
 * ```
 */
export function fromLangChain(list: readonly LangChainMessageLike[]): readonly Message[] {
  assertList("messages", list, RESULT);
  const messages: Message[] = [];
  for (const [index, item] of list.entries()) {
    const message = readLangChainMessage(item, `messages[${index}]`);
    const last = messages.at(-1);
    if (last === undefined || !isResults(last) || !isResults(message)) messages.push(message);
    else messages.splice(-1, 1, { ...last, content: [...blocksOf(last), ...blocksOf(message)] });
  }
  return messages;
}

const RESULT: WholeResponse = {
  isWhole: ({ content, messages }) => content === undefined && Array.isArray(messages),
  messages: "result.messages",
};

function isResults(message: Message): boolean {
  return blocksOf(message).every(isToolResult);
}

/** Maps the types of LangChain's messages to roles. */
const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant", developer: "system" };

/** Converts one message. Throws if it has no role, or no content; `where` names it in the error. */
export function readLangChainMessage(item: unknown, where: string): Message {
  assert(isRecord(item), where, item, "a message of LangChain's, or an object with role and content");
  const role = roleOf(item, where);
  const { content } = item;
  const isContent = typeof content === "string" || Array.isArray(content);
  assert(isContent, `${where}.content`, content, "a string or an array of blocks");
  switch (role) {
    case "user":
      return { role, content: readContent(content) };
    case "assistant":
      return { role, content: readReply(item, readContent(content)) };
    case "tool":
      return { role: "user", content: [readResult(item, where)] };
    default:
      return { role: "user", content: asBlocks(readContent(content)).map((block) => ({ ...block, role })) };
  }
}

/** The role of a message. LangChain's messages have a `type`; plain objects, and messages of the type "generic", have a `role`. */
function roleOf(item: JsonRecord, where: string): string {
  const type = asName(item.type);
  const role = type === undefined || type === "generic" ? asName(item.role) : type;
  assert(role !== undefined, `${where}.role`, item.role, '"user", "assistant", "tool" or "system"');
  return Object.hasOwn(ROLES, role) ? (ROLES[role] ?? role) : role;
}

function readContent(content: unknown): Content {
  return typeof content === "string" ? content : asArray(content).flatMap(readBlock);
}

function asBlocks(content: Content): readonly Block[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** The content of a reply with its calls. Some providers repeat the calls among the blocks, with arguments as text: those of `tool_calls` count. */
function readReply(item: JsonRecord, content: Content): Content {
  const calls = new Map(asArray(item.tool_calls).flatMap(readCall));
  if (calls.size === 0) return content;
  const blocks = asBlocks(content).map((block) => {
    const call = isToolUse(block) ? calls.get(block.id) : undefined;
    if (call === undefined) return block;
    calls.delete(call.id);
    return call;
  });
  return [...blocks, ...calls.values()];
}

function readCall(value: unknown): readonly (readonly [string, Block & { readonly id: string }])[] {
  if (!isRecord(value)) return [];
  const id = asText(value.id) ?? "";
  return [[id, { type: "tool_use", id, name: asText(value.name) ?? "", input: value.args ?? {} }]];
}

function readResult(item: JsonRecord, where: string): Block {
  const { tool_call_id: id, content, status } = item;
  assert(typeof id === "string", `${where}.tool_call_id`, id, "a string");
  const mark = status === "error" ? { is_error: true } : {};
  return { type: "tool_result", tool_use_id: id, content: readContent(content), ...mark };
}

/** Fields and blocks that streaming leaves in the content: a position, and pieces of calls that `tool_calls` has whole. */
const STREAM_FIELDS: ReadonlySet<string> = new Set(["index"]);
const STREAM_TYPES: ReadonlySet<string> = new Set(["input_json_delta", "functionCall"]);

/** Converts a block; an empty list for pieces of calls, which are read from `tool_calls`. Blocks of unknown types are carried as they are. */
function readBlock(value: unknown): readonly Block[] {
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

/** In LangChain's standard form of reasoning, `reasoning` is the text. */
function readReasoning({ reasoning, ...rest }: JsonRecord): Block {
  return { ...rest, type: "reasoning", text: asText(reasoning) ?? asText(rest.text) ?? "" };
}

function readLinkedImage({ image_url: image, ...rest }: JsonRecord): Block | undefined {
  const url = asText(image) ?? asText(fieldAt(image, "url"));
  const detail = asName(fieldAt(image, "detail"));
  return url === undefined ? undefined : { ...rest, ...(detail !== undefined && { detail }), ...imageFromUrl(url) };
}

/** An image in the standard form of LangChain 1, in that of earlier versions, or in Anthropic's. */
function readImage(block: JsonRecord): Block {
  const { url, data, mimeType, mime_type, fileId } = block;
  if (isRecord(block.source)) return { ...block, type: "image" };
  if (typeof url === "string") return imageFromUrl(url);
  const mediaType = asName(mimeType) ?? asName(mime_type) ?? "image/jpeg";
  if (typeof data === "string") return { type: "image", source: { type: "base64", media_type: mediaType, data } };
  if (typeof fileId === "string") return { type: "image", source: { type: "file", file_id: fileId } };
  return { type: "part", part: block };
}
