import { asText, fieldAt } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type TextBlock } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";

/** Where the blocks of the wires that we know keep the type of their media. */
const MEDIA_TYPES: readonly (readonly string[])[] = [
  ["source", "media_type"],
  ["inlineData", "mimeType"],
  ["fileData", "mimeType"],
];

/**
 * A block that a wire has no place for, in words: its own text, a line for media, whose bytes would be read as text, else its JSON.
 * Undefined where it says nothing.
 */
export function blockAsText(block: Block): TextBlock | undefined {
  const text = asText(fieldAt(block, "text"));
  if (text !== undefined) return /\S/.test(text) ? { type: "text", text } : undefined;
  const mediaType = MEDIA_TYPES.map((path) => asText(fieldAt(block, ...path))).find((each) => each !== undefined);
  const isMedia = mediaType !== undefined || (isKnownBlock(block) && block.type === "image");
  if (isMedia) return { type: "text", text: `[Not shown here: ${mediaType ?? block.type}]` };
  return { type: "text", text: serialize(block) };
}

/** Whether a text is bytes in base64: providers, and some clients before them, refuse media that is not. */
export function isBase64(text: unknown): text is string {
  return typeof text === "string" && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
