import { tryParseJson } from "../../core/json/parse-json.ts";
import { asArray, asName, asRecord, asText, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block, Content } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";
import { readPart, textOfPart, unknownBlock } from "./read-parts.ts";

/** The place of a block in its item. */
export type Place =
  /** The whole item: a call, a result, reasoning, or an item of an unknown type. */
  | { readonly type: "item" }
  /** The message's content, which is a string. */
  | { readonly type: "content" }
  /** A part of the message's content. */
  | { readonly type: "part"; readonly index: number };

/** A block of one item. */
export interface ItemBlock {
  readonly block: Block;
  readonly place: Place;
}

/** An item of the input by its part in the conversation. */
export type ReadItem =
  | { readonly type: "reply"; readonly blocks: readonly ItemBlock[]; readonly callId?: string }
  | { readonly type: "user"; readonly blocks: readonly ItemBlock[]; readonly isPinned?: boolean }
  | ReadResult
  /** A message of the system, the developer or an unknown role. */
  | { readonly type: "system"; readonly blocks: readonly ItemBlock[]; readonly text: string }
  /** Answers something other than a call with a `call_id`: it must stay with the item before it. */
  | ReadAnswer
  /** An item that is in force for all that follows, and is never hidden. */
  | { readonly type: "standing" }
  | { readonly type: "unknown"; readonly block: ItemBlock };

export interface ReadResult {
  readonly type: "result";
  readonly callId: string;
  readonly block: ItemBlock;
  readonly isPinned: boolean;
  /** How the item is read if its call is not in the input but kept by the provider: then there is no pair to keep together. */
  readonly orphan: ReadAnswer;
}

export interface ReadAnswer {
  readonly type: "answer";
  readonly block: ItemBlock;
}

/** An item as it is read before the other items are known; a call is taken to have an output. */
export type InputItem = ReadItem & {
  /** How a call is read that has no output, if that differs: a tool that runs at the provider has none, so there is no pair. */
  readonly unanswered?: ReadItem;
  /** Whether the item depends on other items in ways that we do not know. */
  readonly isUnsafe?: boolean;
};

/** The type of the last item of a request that only asks for a compaction. */
export const COMPACTION_TRIGGER = "compaction_trigger";
/** A program and the calls that it made depend on each other. */
const UNSAFE_TYPES: ReadonlySet<unknown> = new Set(["program", "program_output"]);
const STANDING_TYPES: ReadonlySet<unknown> = new Set(["additional_tools", "configuration_update", COMPACTION_TRIGGER]);
const REPLY_TYPES: ReadonlySet<unknown> = new Set(["item_reference", "mcp_approval_request"]);
/** Items that name what they answer by another field than `call_id`. */
const ANSWER_TYPES: ReadonlySet<unknown> = new Set(["mcp_approval_response", "local_shell_call_output"]);
/** The provider's compactions of the history before them. Only its models can read them, so no summary can stand in for one. */
const COMPACTION_TYPES: ReadonlySet<unknown> = new Set(["compaction", "compaction_summary", "context_compaction"]);

/** Reads an item of the input by itself, without the items around it. */
export function readInputItem(value: unknown): InputItem {
  const item = asRecord(value);
  if (item === undefined) return { type: "unknown", block: whole(unknownBlock(value)) };
  const type = typeOf(item);
  if (UNSAFE_TYPES.has(type)) return { ...readOther(item, type), isUnsafe: true };
  const callId = asName(item.call_id);
  const unpaired = readUnpaired(item, type);
  if (unpaired !== undefined) return unpaired;
  if (callId !== undefined && isOutput(type)) return readResult(item, type, callId);
  const other = readOther(item, type);
  if (callId === undefined || !type.endsWith("_call")) return other;
  const call: ReadItem = { type: "reply", blocks: [whole(readCall(item, type, callId))], callId };
  return CALL_TYPES.has(type) ? call : { ...call, unanswered: other };
}

/** The id of the call that an item answers; undefined if it is no output. */
export function answeredId(value: unknown): string | undefined {
  const item = asRecord(value);
  return item !== undefined && isOutput(typeOf(item)) ? asName(item.call_id) : undefined;
}

function isOutput(type: string): boolean {
  return type.endsWith("_output");
}

/** Reads an item whose type is neither a call nor an output that names its call; undefined for any other type. */
function readUnpaired(item: JsonRecord, type: string): ReadItem | undefined {
  if (type === "message") return readMessage(item);
  if (type === "reasoning") return { type: "reply", blocks: [whole(readReasoning(item))] };
  if (STANDING_TYPES.has(type)) return { type: "standing" };
  if (COMPACTION_TYPES.has(type)) return { type: "user", blocks: [whole(unknownBlock(item))], isPinned: true };
  return ANSWER_TYPES.has(type) ? { type: "answer", block: whole(unknownBlock(item)) } : undefined;
}

function readResult(item: JsonRecord, type: string, callId: string): ReadResult {
  const block: Block = { type: "tool_result", tool_use_id: callId, ...readOutput(item, type) };
  return {
    type: "result",
    callId,
    block: whole(block),
    // It holds definitions of tools, which the model has only as long as it sees them.
    isPinned: type === "tool_search_output",
    orphan: { type: "answer", block: whole({ ...block, type: "orphan_output" }) },
  };
}

function readOther(item: JsonRecord, type: string): ReadItem {
  const block = whole(unknownBlock(item));
  return type.endsWith("_call") || REPLY_TYPES.has(type)
    ? { type: "reply", blocks: [block] }
    : { type: "unknown", block };
}

/** Calls that the agent always answers. */
const CALL_TYPES: ReadonlySet<string> = new Set(["function_call", "custom_tool_call"]);

/** The type of an item; a message may leave it out. */
export function typeOf(item: JsonRecord): string {
  return asName(item.type) ?? (typeof item.role === "string" ? "message" : "");
}

/** Shared by all blocks that are whole items. */
const WHOLE_ITEM: Place = { type: "item" };

function whole(block: Block): ItemBlock {
  return { block, place: WHOLE_ITEM };
}

function readMessage(item: JsonRecord): ReadItem {
  const { role, content } = item;
  if (role !== "user" && role !== "assistant") {
    const text =
      asText(content) ??
      asArray(content)
        .flatMap((part) => textOfPart(part) ?? serialize(part))
        .join("\n");
    const blocks = isHost(role) ? readContent(content, { ...itemFields(item), role }) : [];
    return { type: "system", blocks: blocks.length > 0 ? blocks : [whole(unknownBlock(item))], text };
  }
  return { type: role === "user" ? "user" : "reply", blocks: readContent(content, itemFields(item)) };
}

function isHost(role: unknown): boolean {
  return role === "system" || role === "developer";
}

function readContent(content: unknown, fields: JsonRecord): readonly ItemBlock[] {
  if (typeof content === "string") {
    return [{ block: { ...fields, type: "text", text: content }, place: { type: "content" } }];
  }
  return asArray(content).map((part, index) => ({
    block: { ...fields, ...readPart(part) },
    place: { type: "part", index },
  }));
}

/** The fields of a message besides role and content, which are kept on each of its blocks. */
function itemFields({ type: _, role, content, id, ...rest }: JsonRecord): JsonRecord {
  return id === undefined ? rest : { ...rest, item_id: id };
}

function readReasoning(item: JsonRecord): Block {
  const texts = (value: unknown) => asArray(value).flatMap((part) => asText(asRecord(part)?.text) ?? []);
  const thought = texts(item.content);
  return { ...item, type: "reasoning", text: (thought.length > 0 ? thought : texts(item.summary)).join("\n\n") };
}

function readCall(item: JsonRecord, type: string, callId: string): Block {
  const { type: _, id, call_id, name, arguments: args, input, action, operation, ...rest } = item;
  return {
    ...rest,
    ...(type !== "function_call" && { item_type: type }),
    ...(id !== undefined && { item_id: id }),
    type: "tool_use",
    id: callId,
    name: asName(name) ?? type.slice(0, -"_call".length),
    // Functions have JSON in a string; custom tools have plain text as `input`, built-in ones an `action` or an `operation`.
    input:
      typeof args === "string" ? (asRecord(tryParseJson(args)) ?? args) : (args ?? input ?? action ?? operation ?? {}),
  };
}

function readOutput(item: JsonRecord, type: string): { readonly content?: Content } {
  const { output } = item;
  if (type === "tool_search_output") return { content: serialize(item.tools ?? []) };
  if (type === "shell_call_output") return { content: asArray(output).map(readShellOutput).join("\n") };
  if (output === undefined || output === null) return {};
  if (typeof output === "string") return { content: output };
  if (Array.isArray(output)) return { content: output.map(readPart) };
  const url = asName(asRecord(output)?.image_url);
  return { content: url === undefined ? serialize(output) : [imageFromUrl(url)] };
}

function readShellOutput(value: unknown): string {
  const { stdout, stderr } = asRecord(value) ?? {};
  return [stdout, stderr].filter((text) => typeof text === "string" && text !== "").join("\n");
}
