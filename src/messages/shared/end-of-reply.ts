import { type Block, isKnownBlock } from "../../core/message/message.ts";

/** The text of a reply that is left without any content, which providers refuse. */
export const EMPTY_REPLY = "[The reply was empty.]";

/** The reasoning of a reply as its text, for a reply that holds nothing else. */
export function thoughtsAsReply(blocks: readonly Block[]): string {
  const texts = blocks.flatMap((block) => (isKnownBlock(block) && block.type === "reasoning" ? [block.text] : []));
  return texts.join("\n\n").trim() || EMPTY_REPLY;
}

/** The block without white space at the end of its text: a prompt must not end with white space. */
export function trimEnd(block: Block): Block {
  return isKnownBlock(block) && block.type === "text" ? { ...block, text: block.text.trimEnd() } : block;
}
