import { type Content, isKnownBlock, type KnownBlock } from "../../../core/message/message.ts";

/** The blocks that we understand; a string is one text. */
export function knownBlocks(content: Content): readonly KnownBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content.filter(isKnownBlock);
}
