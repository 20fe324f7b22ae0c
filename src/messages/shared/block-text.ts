import { asText, fieldAt } from "../../core/json/read-json.ts";
import type { Block, TextBlock } from "../../core/message/message.ts";
import { findMedia } from "../../core/tokens/find-media.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { documentLine } from "./documents.ts";

/** The fields in which blocks of the known wires hold the type of their media. */
const MEDIA_TYPES: readonly (readonly string[])[] = [
  ["source", "media_type"],
  ["inlineData", "mimeType"],
  ["fileData", "mimeType"],
];

/**
 * The text in place of a block that a wire cannot hold: the block's own text, or one line for media (their bytes would be read as text), or
 * else the block's JSON. Undefined for a blank text.
 */
export function blockAsText(block: Block): TextBlock | undefined {
  const text = asText(fieldAt(block, "text"));
  if (text !== undefined) return /\S/.test(text) ? { type: "text", text } : undefined;
  const line = documentLine(block);
  if (line !== undefined) return { type: "text", text: line };
  const mediaType = MEDIA_TYPES.map((path) => asText(fieldAt(block, ...path))).find((type) => type !== undefined);
  const isMedia = mediaType !== undefined || findMedia(block).media.has(block);
  if (isMedia) return { type: "text", text: `[Not shown here: ${mediaType ?? block.type}]` };
  return { type: "text", text: serialize(block) };
}

/** Whether a value is text in base64: providers, and some clients before them, refuse media in any other form. */
export function isBase64(text: unknown): text is string {
  return typeof text === "string" && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
