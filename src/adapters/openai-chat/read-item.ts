import { tryParseJson } from "../../core/json/parse-json.ts";
import { asArray, asName, asRecord, asText, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, type Content, isKnownBlock, type ToolUseBlock } from "../../core/message/message.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";

/** The part of an item that a block was read from. */
export type ItemPlace =
  /** The whole item, in which no block could be read. */
  | { readonly type: "item" }
  /** A field that holds a string. */
  | { readonly type: "text"; readonly field: "content" | "refusal" }
  /** An entry of the list in `content`. */
  | { readonly type: "part"; readonly partIndex: number }
  /** All fields that hold reasoning, together. */
  | { readonly type: "reasoning" }
  /** An entry of `tool_calls`. */
  | { readonly type: "call"; readonly callIndex: number }
  /** The whole item, which answers a call. */
  | { readonly type: "result" };

/** A block of one item. */
export interface ItemBlock {
  readonly block: Block;
  readonly place: ItemPlace;
}

/** The blocks of an item's `content`; an empty list if it has none. */
export function readContent({ content }: JsonRecord): readonly ItemBlock[] {
  if (typeof content === "string") {
    return [{ block: { type: "text", text: content }, place: { type: "text", field: "content" } }];
  }
  return asArray(content).map((part, partIndex) => ({ block: readPart(part), place: { type: "part", partIndex } }));
}

/** The blocks of an assistant's item: reasoning, content, refusal, then calls, in whatever order the item has its fields. */
export function readAssistant(item: JsonRecord): readonly ItemBlock[] {
  // Clients write an empty text beside calls: it is no content.
  const content = item.content === "" ? [] : readContent(item);
  const refusal = asName(item.refusal);
  return [
    ...readReasoning(item),
    ...content,
    ...(refusal === undefined ? [] : [refusalBlock(refusal)]),
    ...asArray(item.tool_calls).map((call, callIndex): ItemBlock => {
      return { block: readCall(call), place: { type: "call", callIndex } };
    }),
  ];
}

function refusalBlock(text: string): ItemBlock {
  return { block: { type: "text", text }, place: { type: "text", field: "refusal" } };
}

/** Details are opaque, and are sent with the calls that they led to. */
function readReasoning({ reasoning_content, reasoning, reasoning_details }: JsonRecord): readonly ItemBlock[] {
  const text = asName(reasoning_content) ?? asText(reasoning) ?? "";
  const details = asArray(reasoning_details).length > 0 ? { reasoning_details } : undefined;
  if (text === "" && details === undefined) return [];
  return [{ block: { type: "reasoning", text, ...details }, place: { type: "reasoning" } }];
}

/** Reads an entry of `tool_calls`. One of an unknown type is a call too: its result must stay with it. */
export function readCall(value: unknown): ToolUseBlock {
  const call = asRecord(value);
  const id = asText(call?.id) ?? "";
  if (isRecord(call?.function)) {
    return {
      type: "tool_use",
      id,
      name: asText(call.function.name) ?? "",
      input: readArguments(call.function.arguments),
    };
  }
  if (isRecord(call?.custom))
    return { type: "tool_use", id, name: asText(call.custom.name) ?? "", input: call.custom.input };
  return { type: "tool_use", id, name: asText(call?.type) ?? "", input: value };
}

function readArguments(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  if (value.trim() === "") return {};
  const parsed = tryParseJson(value);
  return parsed === undefined ? value : parsed;
}

/** Shared by all results, of which a conversation has many. */
const WHOLE_RESULT: ItemPlace = { type: "result" };

/** The block of an item that answers a call. */
export function readResult({ tool_call_id: id, content }: JsonRecord): ItemBlock {
  const block: Block = { type: "tool_result", tool_use_id: asText(id) ?? "", ...readResultContent(content) };
  return { block, place: WHOLE_RESULT };
}

function readResultContent(content: unknown): { readonly content?: Content } {
  if (content === undefined || content === null) return {};
  if (typeof content === "string") return { content };
  return { content: Array.isArray(content) ? content.map(readPart) : [readPart(content)] };
}

/** A part of an item's content as a block; a part of an unknown form is carried as it is. */
function readPart(value: unknown): Block {
  const part = asRecord(value);
  const type = asText(part?.type);
  if (part === undefined || type === undefined) return { type: "part", part: value };
  const text = asText(part.text);
  if (type === "text" && text !== undefined) return { ...part, type, text };
  const refusal = asText(part.refusal);
  if (type === "refusal" && refusal !== undefined) return { type: "text", text: refusal };
  const url = asText(fieldAt(part, "image_url", "url")) ?? asText(part.image_url);
  if (type === "image_url" && url !== undefined) {
    const { image_url: _, ...rest } = part;
    return { ...rest, ...imageFromUrl(url) };
  }
  const block = { ...part, type };
  // It has the type of one of our blocks but not its fields: it must not pass for one.
  return isKnownBlock(block) ? { type: "part", part } : block;
}
