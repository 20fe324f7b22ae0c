import type { Block, ImageBlock, Message, ToolResultBlock } from "../../src/core/message/message.ts";

/** An image of so many characters of base64; those of one letter are the same. */
export function picture(characters: number, letter = "A"): ImageBlock {
  return { type: "image", source: { type: "base64", media_type: "image/png", data: letter.repeat(characters) } };
}

export const LINKED_PICTURE: ImageBlock = {
  type: "image",
  source: { type: "url", url: "https://example.invalid/a.png" },
};

/** A file, as a type that the message model does not know. */
export function documentOf(characters: number): Block {
  return { type: "document", source: { type: "base64", media_type: "application/pdf", data: "B".repeat(characters) } };
}

/** A tool's result that shows a screen: a line of text and an image. */
export function screen(toolUseId: string, characters: number): ToolResultBlock {
  return {
    type: "tool_result",
    tool_use_id: toolUseId,
    content: [{ type: "text", text: `screen of ${toolUseId}` }, picture(characters)],
  };
}

export function bytesOf(view: readonly Message[]): number {
  return Buffer.byteLength(JSON.stringify(view));
}
