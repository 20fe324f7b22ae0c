import { tryParseJson } from "../../core/json/parse-json.ts";
import { asName, type JsonRecord } from "../../core/json/read-json.ts";
import {
  type Block,
  type Content,
  isKnownBlock,
  type KnownBlock,
  type ToolResultBlock,
} from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { imageToUrl } from "../../core/transcript/data-url.ts";

/** A block becomes an item of its own, or a part of a message. */
export type WrittenBlock =
  | { readonly type: "item"; readonly item: JsonRecord }
  | { readonly type: "part"; readonly part: object; readonly fields: JsonRecord };

export interface WriteContext {
  readonly role: string;
  /** The type of the item that a call was, by its id; the others are functions. */
  readonly itemTypes: ReadonlyMap<string, string>;
}

/** The reverse of reading an item. */
export function writeBlock(block: Block, context: WriteContext): WrittenBlock {
  const fields: JsonRecord = { ...block };
  return isKnownBlock(block) ? writeKnown(block, fields, context) : { type: "item", item: fields };
}

function writeKnown(block: KnownBlock, fields: JsonRecord, { role, itemTypes }: WriteContext): WrittenBlock {
  switch (block.type) {
    case "text": {
      const { type: _, text, item_id, ...rest } = fields;
      const part = { type: role === "assistant" ? "output_text" : "input_text", text };
      return { type: "part", part, fields: { ...rest, ...(item_id !== undefined && { id: item_id }) } };
    }
    case "image":
      return { type: "part", part: { type: "input_image", image_url: imageToUrl(block) }, fields: {} };
    case "reasoning": {
      const { text, summary, ...rest } = fields;
      const written = summary ?? (text === "" ? [] : [{ type: "summary_text", text }]);
      return { type: "item", item: { ...rest, summary: written } };
    }
    case "tool_use":
      return { type: "item", item: writeCall(fields) };
    case "tool_result":
      return { type: "item", item: writeResult(block, itemTypes.get(block.tool_use_id)) };
  }
}

function writeResult({ tool_use_id: call_id, content }: ToolResultBlock, callType: string | undefined): JsonRecord {
  if (callType === "tool_search_call") {
    return {
      type: "tool_search_output",
      call_id,
      tools: typeof content === "string" ? (tryParseJson(content) ?? []) : [],
    };
  }
  const type = callType === "custom_tool_call" ? "custom_tool_call_output" : "function_call_output";
  return { type, call_id, output: writeOutput(content) };
}

function writeCall({ type: _, id, name, input, item_type, item_id, ...rest }: JsonRecord): JsonRecord {
  const type = asName(item_type) ?? "function_call";
  const call = { ...rest, type, ...(item_id !== undefined && { id: item_id }), call_id: id, name };
  switch (type) {
    case "function_call":
      return { ...call, arguments: typeof input === "string" ? input : serialize(input) };
    case "custom_tool_call":
      return { ...call, input };
    case "local_shell_call":
      return { ...call, action: input };
    default:
      return { ...call, arguments: input };
  }
}

function writeOutput(content: Content | undefined): unknown {
  if (content === undefined || typeof content === "string") return content ?? "";
  return content.map((block) => {
    if (!isKnownBlock(block)) return block;
    if (block.type === "image") return { type: "input_image", image_url: imageToUrl(block) };
    return { type: "input_text", text: block.type === "text" ? block.text : serialize(block) };
  });
}
