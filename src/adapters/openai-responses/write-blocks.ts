import type { JsonRecord } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type Message } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { imageToUrl } from "../../core/transcript/data-url.ts";

/** The type of a text part: the API has one for the model's texts and one for texts that it is sent. */
export function textType(role: string): "input_text" | "output_text" {
  return role === "assistant" ? "output_text" : "input_text";
}

/** A block as a part of a message, or of a tool's output. */
export function writePart(block: Block, role: Message["role"]): JsonRecord {
  if (!isKnownBlock(block)) return { ...block };
  if (block.type === "image") return { type: "input_image", image_url: imageToUrl(block) };
  return { type: textType(role), text: block.type === "text" ? block.text : serialize(block) };
}

/** A message with these parts, as JSON. */
export function writeMessage(role: string, content: readonly JsonRecord[]): string {
  return JSON.stringify({ type: "message", role, content });
}

/** The text of a text block; undefined for any other block. */
export function textOf(block: Block): string | undefined {
  return isKnownBlock(block) && block.type === "text" ? block.text : undefined;
}
