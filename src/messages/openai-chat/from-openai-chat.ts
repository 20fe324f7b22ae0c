import { assert } from "../../core/assert.ts";
import { asArray, asName, asRecord, asText, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, type Content, isKnownBlock, type Message } from "../../core/message/message.ts";
import { readCallArguments } from "../../core/transcript/call-arguments.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";
import { assertList, type WholeResponse } from "../shared/assert-list.ts";
import { isLegacy } from "./legacy-calls.ts";
import type { OpenAiChatMessageLike } from "./types.ts";

/**
 * Converts messages of the Chat Completions API to ours, ready for `session.append(...)`. A reply is a list of one:
 * `fromOpenAiChat([completion.choices[0].message])`. Tool messages in a row become one user message; a system message becomes a user's text with the
 * `role`. Fields that only replies have (annotations, `parsed`, the bytes of audio) are left out, as the API refuses them in a prompt.
 * @example
 * ```ts
 * import { fromOpenAiChat } from "palimpsest/messages";
 * const call = { id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a.ts"}' } };
 * const [reply] = fromOpenAiChat([{ role: "assistant", content: null, refusal: null, tool_calls: [call] }]);
 * console.log(reply?.content); // [ { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a.ts' } } ]
 * ```
 */
export function fromOpenAiChat(list: readonly OpenAiChatMessageLike[]): readonly Message[] {
  assertList("list", list, COMPLETION);
  const messages: Message[] = [];
  let results: Block[] | undefined;
  for (const [index, value] of list.entries()) {
    assert(isRecord(value) && typeof value.role === "string", `list[${index}]`, value, MESSAGE);
    if (value.role === "tool") {
      const result = readResult(value, index);
      if (results === undefined) {
        results = [result];
        messages.push({ role: "user", content: results });
      } else results.push(result);
    } else {
      results = undefined;
      messages.push(readMessage(value, index));
    }
  }
  return messages;
}

function readResult({ tool_call_id: id, content }: JsonRecord, index: number): Block {
  assert(typeof id === "string", `list[${index}].tool_call_id`, id, "a string");
  return { type: "tool_result", tool_use_id: id, ...readResultContent(content) };
}

function readResultContent(content: unknown): { readonly content?: Content } {
  if (content === undefined || content === null) return {};
  return { content: typeof content === "string" ? content : asArray(content).map((part) => readPart(part, {})) };
}

const MESSAGE = "a message with a role; of a completion, that is completion.choices[0].message";

const COMPLETION: WholeResponse = {
  isWhole: ({ role, choices }) => role === undefined && Array.isArray(choices),
  messages: "[completion.choices[0].message]",
};
const ROLES = '"system", "developer", "user", "assistant", "tool" or "function"';

function readMessage(record: JsonRecord, index: number): Message {
  const { role } = record;
  if (isLegacy(record)) return { role: role === "assistant" ? role : "user", content: [wholeMessage(record)] };
  if (role === "assistant") return { role, content: readAssistant(record) };
  const isInput = role === "user" || role === "system" || role === "developer";
  assert(isInput, `list[${index}].role`, role, ROLES);
  const name = asName(record.name);
  const marks = { ...(role !== "user" && { role }), ...(name !== undefined && { name }) };
  return { role: "user", content: readContent(record.content, marks) };
}

/** A message of a form that our model does not have, as one block. */
function wholeMessage(message: JsonRecord): Block {
  return { type: "message", message };
}

/** The content of a message, each block with the given fields (`marks`). A string stays a string if there are none. */
function readContent(content: unknown, marks: JsonRecord): Content {
  const isMarked = Object.keys(marks).length > 0;
  if (typeof content === "string") return isMarked ? [{ type: "text", text: content, ...marks }] : content;
  return asArray(content).map((part) => readPart(part, marks));
}

function readAssistant(record: JsonRecord): Content {
  const name = asName(record.name);
  const content = record.content === "" ? [] : readContent(record.content, name === undefined ? {} : { name });
  const refusal = asName(record.refusal);
  const audioId = asName(fieldAt(record.audio, "id"));
  const others: readonly Block[] = [
    ...(refusal === undefined ? [] : [refusalBlock(refusal)]),
    ...(audioId === undefined ? [] : [audioBlock(audioId, asName(fieldAt(record.audio, "transcript")))]),
    ...asArray(record.tool_calls).map(readCall),
  ];
  const reasoning = readReasoning(record);
  if (typeof content === "string" && reasoning.length + others.length === 0) return content;
  const texts: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return [...reasoning, ...texts, ...others];
}

function refusalBlock(text: string): Block {
  return { type: "text", text, refusal: text };
}

function audioBlock(id: string, transcript: string | undefined): Block {
  return { type: "audio", id, ...(transcript !== undefined && { transcript }) };
}

/** The reasoning of a reply. `reasoning_details` are opaque, and are sent back as they came. */
function readReasoning({ reasoning_content, reasoning, reasoning_details }: JsonRecord): readonly Block[] {
  const text = asName(reasoning_content) ?? asText(reasoning) ?? "";
  const details = asArray(reasoning_details).length > 0 ? { reasoning_details } : undefined;
  return text === "" && details === undefined ? [] : [{ type: "reasoning", text, ...details }];
}

/** Reads an entry of `tool_calls`. One of an unknown type is a call too: its result must stay with it. */
function readCall(value: unknown): Block {
  const call = asRecord(value);
  const id = asText(call?.id) ?? "";
  if (isRecord(call?.function)) {
    const { name, arguments: args } = call.function;
    const { input, ...original } = typeof args === "string" ? readCallArguments(args) : { input: args ?? {} };
    return { type: "tool_use", id, name: asText(name) ?? "", input, ...original };
  }
  if (isRecord(call?.custom)) {
    const { name, input } = call.custom;
    return { type: "tool_use", id, name: asText(name) ?? "", input, item_type: "custom_tool_call" };
  }
  return { type: "tool_use", id, name: asText(call?.type) ?? "", input: value };
}

/** A part as a block; a part of an unknown form is carried as it is. */
function readPart(value: unknown, marks: JsonRecord): Block {
  const part = asRecord(value);
  const type = asText(part?.type);
  if (part === undefined || type === undefined) return { type: "part", part: value };
  const text = asText(part.text);
  if (type === "text" && text !== undefined) return { ...part, type, text, ...marks };
  const refusal = asText(part.refusal);
  if (type === "refusal" && refusal !== undefined) return refusalBlock(refusal);
  const url = asText(fieldAt(part, "image_url", "url"));
  if (type === "image_url" && url !== undefined) return readImage(part, url, marks);
  const block = { ...part, type };
  // It has the type of one of our blocks but not its fields: it must not pass for one.
  return isKnownBlock(block) ? { type: "part", part } : { ...block, ...marks };
}

function readImage({ image_url, ...rest }: JsonRecord, url: string, { name }: JsonRecord): Block {
  const detail = asName(fieldAt(image_url, "detail"));
  return {
    ...rest,
    ...(detail !== undefined && { detail }),
    ...(name !== undefined && { name }),
    ...imageFromUrl(url),
  };
}
