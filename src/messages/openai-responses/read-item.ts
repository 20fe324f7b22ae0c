import { assert } from "../../core/assert.ts";
import { asArray, asName, asRecord, asText, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, type Content, isKnownBlock } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { readCallArguments } from "../../core/transcript/call-arguments.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";

/** What an item is to the conversation. */
export type ReadItem =
  | { readonly type: "user"; readonly content: Content }
  /** Said by the model. `id` is that of the item, `callId` that of a call which the client answers. */
  | {
      readonly type: "reply";
      readonly content: Content;
      readonly id: string | undefined;
      readonly callId: string | undefined;
    }
  | { readonly type: "result"; readonly block: Block; readonly callId: string };

/** Carried as they are, though their names and ids look like those of a pair. */
const UNPAIRED: ReadonlySet<string> = new Set(["program_output", "mcp_call"]);

/** `where` names the item in errors. */
export function readItem(item: JsonRecord, where: string): ReadItem {
  const type = asName(item.type) ?? (typeof item.role === "string" ? "message" : "");
  const id = asName(item.id);
  if (type === "message") return readMessage(item, id, where);
  if (type === "reasoning") return { type: "reply", content: [readReasoning(item)], id, callId: undefined };
  // The oldest shell answers by the id of its call.
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

/** Calls of built-in tools and their outputs have fields that our blocks have no place for. */
function isNative(type: string): boolean {
  return !/^(?:function|custom_tool)_call/.test(type);
}

/** Without what only replies have. */
function sendable({ created_by: _, ...item }: JsonRecord): JsonRecord {
  return item;
}

/** Its type must not be taken for one of ours. */
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

/** A text alone stays a string, so that it stays one on the wire; one with marks is a block. */
function readContent(content: unknown, marks: JsonRecord): Content {
  const isMarked = Object.keys(marks).length > 0;
  if (typeof content === "string") return isMarked ? [{ type: "text", text: content, ...marks }] : content;
  return asArray(content).map((part) => ({ ...readPart(part), ...marks }));
}

/** A part of a message, or of a tool's output, as a block; what is not known is carried as it is. */
function readPart(value: unknown): Block {
  const part = asRecord(value);
  const type = asText(part?.type);
  if (part === undefined || type === undefined) return { type: "part", part: value };
  const { detail, image_url, ...rest } = part;
  // What is written where nothing is said of it.
  const closely = detail === undefined || detail === null || detail === "auto" ? {} : { detail };
  const url = asName(image_url);
  if (type === "input_image" && url !== undefined) return { ...rest, ...closely, ...imageFromUrl(url) };
  if (type === "refusal" && typeof part.refusal === "string")
    return { type: "text", text: part.refusal, refusal: part.refusal };
  const text = asText(part.text);
  if (text !== undefined && TEXT_TYPES.has(type)) return readText(part, text);
  const block = { ...part, type };
  return isKnownBlock(block) ? { type: "part", part } : block;
}

const TEXT_TYPES: ReadonlySet<string> = new Set(["input_text", "output_text", "text"]);

/** Without what only replies have, which the API refuses or does not need back. */
function readText({ annotations, prompt_cache_breakpoint }: JsonRecord, text: string): Block {
  return {
    type: "text",
    text,
    ...(asArray(annotations).length > 0 && { annotations }),
    ...(prompt_cache_breakpoint !== undefined && { prompt_cache_breakpoint }),
  };
}

/** The text is what the model thought, or else the summary of it. */
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
