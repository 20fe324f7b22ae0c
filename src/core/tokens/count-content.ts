import { isCompactionBlock } from "../message/compaction-block.ts";
import { type Block, type Content, type ImageBlock, isKnownBlock, type ToolResultBlock } from "../message/message.ts";
import { findMedia } from "./find-media.ts";
import { countTextTokens } from "./o200k/count-text-tokens.ts";
import { serialize } from "./serialize.ts";

const LINKED_IMAGE_TOKENS = 300;
/** Base64 has four characters for three bytes, and text about four bytes for a token. */
const ENCRYPTED_TOKENS_PER_CHARACTER = 3 / 16;
const IMAGE_ITEM = "[image]";
const UNKNOWN_ITEM = "[unknown]";

/**
 * Exact o200k_base tokens of a message's content, uncalibrated.
 *
 * Text and reasoning count as their text (signatures are not read by the model); an image as the square root of its
 * base64 length, or 300 where it is only linked. A tool call counts as `Tool: name` and `Arguments: {…}` on two lines; a tool result
 * as the lines `Result: id`, `Error: true` if it failed, and its items, with placeholders for those that are not
 * text; a provider's compaction as its text, or by the length of its encrypted content; any other unknown block as its JSON, in which the
 * inline bytes of documents, pictures and sound count as those of images do. Content that breaks its type is counted as far as it can be
 * read, and never throws.
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
  if (!isObject(block) || !isCompactionBlock(block)) return countAsJson(block);
  const { content, encrypted_content: encrypted }: Readonly<Record<string, unknown>> = { ...block };
  // Encrypted text beside a readable one says the same again, for the provider alone.
  if (typeof content === "string") return countTextTokens(content);
  return Math.ceil(asText(encrypted).length * ENCRYPTED_TOKENS_PER_CHARACTER);
}

/** Counts a block as its JSON, and inline media in it as images: a model reads the document or the picture, not its base64. */
function countAsJson(block: Block): number {
  const payloads = new Set<unknown>();
  for (const medium of findMedia(block).media) addPayloads(medium, payloads);
  if (payloads.size === 0) return countTextTokens(serialize(block));
  let count = 0;
  const text = serialize(block, (value) => {
    const isPayload = typeof value === "string" && payloads.has(value);
    if (isPayload) count += countInlineTokens(value);
    return !isPayload;
  });
  return count + countTextTokens(text);
}

/** Fields of a medium that hold its bytes, as base64 or as a data URL. */
const PAYLOAD_FIELDS: ReadonlySet<string> = new Set(["data", "blob", "file_data", "url", "image_url", "image"]);
/** The bytes of a medium are in the object itself, or in up to two objects inside it. */
const MAX_PAYLOAD_DEPTH = 3;

function addPayloads(medium: unknown, payloads: Set<unknown>, depth = 0): void {
  if (!isObject(medium) || depth > MAX_PAYLOAD_DEPTH) return;
  for (const [field, value] of Object.entries(medium)) {
    if (typeof value !== "string") addPayloads(value, payloads, depth + 1);
    else if (PAYLOAD_FIELDS.has(field) && isInline(value)) payloads.add(value);
  }
}

/** Whether this is a data URL or base64, not an address (which has a colon and dots). Tests the beginning only: the rest may be megabytes. */
function isInline(value: string): boolean {
  return /^data:/i.test(value) || /^[\w+/=-]+$/.test(value.slice(0, 100));
}

function countInlineTokens(data: string): number {
  return Math.ceil(Math.sqrt(data.length));
}

function countImageTokens({ source }: ImageBlock): number {
  const hasBytes = isObject(source) && source.type === "base64" && typeof source.data === "string";
  return hasBytes ? countInlineTokens(source.data) : LINKED_IMAGE_TOKENS;
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
