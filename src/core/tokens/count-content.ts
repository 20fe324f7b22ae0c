import { isCompactionBlock } from "../message/compaction-block.ts";
import { type Block, type Content, type ImageBlock, isKnownBlock, type ToolResultBlock } from "../message/message.ts";
import { countTextTokens } from "./o200k/count-text-tokens.ts";
import { serialize } from "./serialize.ts";

const LINKED_IMAGE_TOKENS = 300;
/** Base64 is four characters for three bytes, and text about four bytes for a token. */
const SEALED_TOKENS_PER_CHARACTER = 3 / 16;
const IMAGE_ITEM = "[image]";
const UNKNOWN_ITEM = "[unknown]";

/**
 * Exact o200k_base tokens of a message's content, uncalibrated.
 *
 * Text and reasoning count as their text (signatures are not read by the model); an image as the square root of its
 * base64 length, or 300 where it is only linked. A tool call counts as `Tool: name` and `Arguments: {…}` on two lines; a tool result
 * as the lines `Result: id`, `Error: true` if it failed, and its items, with placeholders for those that are not
 * text; a provider's compaction as its text, or by the length of what is sealed; any other unknown block as its JSON. Content that breaks its type counts as well as it can and never throws.
 * @example
 * ```ts
 * import { countContentTokens } from "palimpsest/core";
 * console.log(countContentTokens([{ type: "text", text: "Look:" }, { type: "image", source: { type: "url", url: "https://a.b/c.png" } }])); // 302
 * ```
 */
export function countContentTokens(content: Content): number {
  if (typeof content === "string") return countTextTokens(content);
  if (!Array.isArray(content)) return 0;
  let count = 0;
  for (const block of content) count += countBlockTokens(block);
  return count;
}

function countBlockTokens(block: Block): number {
  if (!isObject(block) || !isKnownBlock(block)) return countUnknownTokens(block);
  switch (block.type) {
    case "text":
    case "reasoning":
      return countTextTokens(asText(block.text));
    case "image":
      return countImageTokens(block);
    case "tool_use":
      return countTextTokens(`Tool: ${asText(block.name)}\nArguments: ${serialize(block.input)}`);
    case "tool_result":
      return countTextTokens(resultLines(block).join("\n"));
  }
}

function countUnknownTokens(block: Block): number {
  if (!isObject(block) || !isCompactionBlock(block)) return countTextTokens(serialize(block));
  const { content, encrypted_content: sealed }: Readonly<Record<string, unknown>> = { ...block };
  // Sealed text beside a readable one is the same once more, for the provider alone.
  if (typeof content === "string") return countTextTokens(content);
  return Math.ceil(asText(sealed).length * SEALED_TOKENS_PER_CHARACTER);
}

function countImageTokens({ source }: ImageBlock): number {
  const isInline = isObject(source) && source.type === "base64" && typeof source.data === "string";
  return isInline ? Math.ceil(Math.sqrt(source.data.length)) : LINKED_IMAGE_TOKENS;
}

function resultLines({ tool_use_id, is_error, content }: ToolResultBlock): readonly string[] {
  const heading = [`Result: ${asText(tool_use_id)}`, ...(is_error ? ["Error: true"] : [])];
  if (content === undefined || content === null) return heading;
  if (typeof content === "string") return [...heading, content];
  return [...heading, ...(Array.isArray(content) ? content.map(itemText) : [UNKNOWN_ITEM])];
}

function itemText(item: Block): string {
  if (!isObject(item) || !isKnownBlock(item)) return UNKNOWN_ITEM;
  if (item.type === "text") return asText(item.text);
  return item.type === "image" ? IMAGE_ITEM : UNKNOWN_ITEM;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
