import { assert } from "../../core/assert.ts";
import { asArray, asName, asRecord, asText, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, type Content, isKnownBlock } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { readCallArguments } from "../../core/transcript/call-arguments.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";

/** An item as it was read: of the user, of the model's reply, or the result of a call. */
export type ReadItem =
  | { readonly type: "user"; readonly content: Content }
  /** `id` is the item's own id, `callId` the id of a call that the client answers. */
  | {
      readonly type: "reply";
      readonly content: Content;
      readonly id: string | undefined;
      readonly callId: string | undefined;
    }
  | { readonly type: "result"; readonly block: Block; readonly callId: string };

/** Items that are carried as they are, although their types and ids look like those of a call and its output. */
const UNPAIRED: ReadonlySet<string> = new Set(["program_output", "mcp_call"]);

/** Reads an item. Throws for a message of an unknown role; `where` names the item in the error. */
export function readItem(item: JsonRecord, where: string): ReadItem {
  const type = asName(item.type) ?? (typeof item.role === "string" ? "message" : "");
  const id = asName(item.id);
  if (type === "message") return readMessage(item, id, where);
  if (type === "reasoning") return { type: "reply", content: [readReasoning(item)], id, callId: undefined };
  // The output of the oldest shell tool names its call in `id`.
  const callId = asName(item.call_id) ?? (type === "local_shell_call_output" ? id : undefined);
  if (callId !== undefined && !UNPAIRED.has(type)) {
    if (type.endsWith("_output")) return { type: "result", block: readResult(item, type, callId), callId };
    if (type.endsWith("_call")) return { type: "reply", content: [readCall(item, type, callId)], id, callId };
  }
  const block = carriedBlock(item, type);
  return isOfUser(type)
    ? { type: "user", content: [block] }
    : { type: "reply", content: [block], id, callId: undefined };
}

const USER_TYPES: ReadonlySet<string> = new Set([
  ...["compaction", "compaction_trigger", "additional_tools", "configuration_update", "mcp_approval_response"],
]);

function isOfUser(type: string): boolean {
  return USER_TYPES.has(type);
}

/** Whether a call or output is of a built-in tool: it has fields that our blocks have no place for, so that the whole item is kept. */
function isNative(type: string): boolean {
  return !/^(?:function|custom_tool)_call/.test(type);
}

/** The item without fields that only replies have. */
function sendable({ created_by: _, ...item }: JsonRecord): JsonRecord {
  return item;
}

/** Carries an item as a block, whose type is changed if it is that of one of our blocks. */
function carriedBlock(item: JsonRecord, type: string): Block {
  return { ...sendable(item), type: type === "" || isKnownBlock({ type }) ? `${type}_item` : type };
}

function readMessage(item: JsonRecord, id: string | undefined, where: string): ReadItem {
  const { role, content, phase, status } = item;
  if (role === "user") return { type: "user", content: readContent(content, {}) };
  if (role === "system" || role === "developer") return { type: "user", content: readContent(content, { role }) };
  assert(role === "assistant", `${where}.role`, role, '"user", "assistant", "system" or "developer"');
  const marks = {
    ...(id !== undefined && { item_id: id }),
    ...(asName(phase) !== undefined && { phase }),
    ...(asName(status) !== undefined && status !== "completed" && { status }),
  };
  return { type: "reply", content: readContent(content, marks), id, callId: undefined };
}

/** The content of a message, each block with the given fields (`marks`). A string stays a string if there are none. */
function readContent(content: unknown, marks: JsonRecord): Content {
  const isMarked = Object.keys(marks).length > 0;
  if (typeof content === "string") return isMarked ? [{ type: "text", text: content, ...marks }] : content;
  return asArray(content).map((part) => ({ ...readPart(part), ...marks }));
}

/** A part of a message, or of a tool's output, as a block; a part of an unknown form is carried as it is. */
function readPart(value: unknown): Block {
  const part = asRecord(value);
  const type = asText(part?.type);
  if (part === undefined || type === undefined) return { type: "part", part: value };
  const { detail, image_url, ...rest } = part;
  // "auto" is the API's default, which `toOpenAiResponses` writes again.
  const detailField = detail === undefined || detail === null || detail === "auto" ? {} : { detail };
  const url = asName(image_url);
  if (type === "input_image" && url !== undefined) return { ...rest, ...detailField, ...imageFromUrl(url) };
  if (type === "refusal" && typeof part.refusal === "string")
    return { type: "text", text: part.refusal, refusal: part.refusal };
  const text = asText(part.text);
  if (text !== undefined && TEXT_TYPES.has(type)) return readText(part, text);
  const block = { ...part, type };
  return isKnownBlock(block) ? { type: "part", part } : block;
}

const TEXT_TYPES: ReadonlySet<string> = new Set(["input_text", "output_text", "text"]);

/** A text block without fields that only replies have, which the API refuses or does not need back. */
function readText({ annotations, prompt_cache_breakpoint }: JsonRecord, text: string): Block {
  return {
    type: "text",
    text,
    ...(asArray(annotations).length > 0 && { annotations }),
    ...(prompt_cache_breakpoint !== undefined && { prompt_cache_breakpoint }),
  };
}

/** A reasoning block: its text is the reasoning itself, or else the summary of it. */
function readReasoning({ status: _, ...item }: JsonRecord): Block {
  const texts = (value: unknown) => asArray(value).flatMap((part) => asText(fieldAt(part, "text")) ?? []);
  const thought = texts(item.content);
  return { ...item, type: "reasoning", text: (thought.length > 0 ? thought : texts(item.summary)).join("\n\n") };
}

function readCall(item: JsonRecord, type: string, callId: string): Block {
  const {
    type: _,
    id,
    call_id,
    name,
    arguments: args,
    input,
    action,
    operation,
    actions,
    parsed_arguments,
    created_by,
    ...rest
  } = item;
  const { input: read, ...original } =
    typeof args === "string"
      ? readCallArguments(args)
      : { input: args ?? input ?? action ?? operation ?? actions ?? {} };
  return {
    ...(isNative(type) ? { item: sendable(item) } : rest),
    ...(type !== "function_call" && { item_type: type }),
    ...(asName(id) !== undefined && { item_id: id }),
    type: "tool_use",
    id: callId,
    name: asName(name) ?? type.slice(0, -"_call".length),
    input: read,
    ...original,
  };
}

function readResult(item: JsonRecord, type: string, callId: string): Block {
  const { id, status, caller } = item;
  return {
    type: "tool_result",
    tool_use_id: callId,
    ...readOutput(item, type),
    ...(type !== "function_call_output" && { item_type: type }),
    ...(isNative(type) && { item: sendable(item) }),
    ...(asName(id) !== undefined && { item_id: id }),
    ...(asName(status) !== undefined && { status }),
    ...(asRecord(caller) !== undefined && { caller }),
  };
}

function readOutput({ output, tools }: JsonRecord, type: string): { readonly content?: Content } {
  if (type === "tool_search_output") return { content: serialize(tools ?? []) };
  if (type === "shell_call_output") return { content: asArray(output).map(readShellOutput).join("\n") };
  if (output === undefined || output === null) return {};
  if (typeof output === "string") return { content: output };
  if (Array.isArray(output)) return { content: output.map(readPart) };
  const url = asName(fieldAt(output, "image_url"));
  return { content: url === undefined ? serialize(output) : [imageFromUrl(url)] };
}

function readShellOutput(value: unknown): string {
  const { stdout, stderr } = asRecord(value) ?? {};
  return [stdout, stderr].filter((text) => typeof text === "string" && text !== "").join("\n");
}
