import { asText, fieldAt } from "../../core/json/read-json.ts";
import type { Block, TextBlock, ToolResultBlock } from "../../core/message/message.ts";
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

/** The text of a result that holds none, where an empty one is refused. */
export const NO_OUTPUT = "(no output)";

/** Whether a result has no content, or only white space. */
export function isEmptyResult({ content = "" }: ToolResultBlock): boolean {
  return typeof content === "string" ? !/\S/.test(content) : content.length === 0;
}
