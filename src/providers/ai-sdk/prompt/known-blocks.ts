import {
  type Block,
  type Content,
  isKnownBlock,
  type KnownBlock,
  type ReasoningBlock,
} from "../../../core/message/message.ts";

/** The blocks that we understand; a string is one text. */
export function knownBlocks(content: Content): readonly KnownBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((block) => sealedReasoning(block) ?? block).filter(isKnownBlock);
}

// Sealed thoughts as Anthropic's own messages have them, and the session files of agents.
function sealedReasoning(block: Block): ReasoningBlock | undefined {
  if (block.type !== "redacted_thinking" || !("data" in block)) return undefined;
  const reasoning = { type: "reasoning", text: "", redactedData: block.data } as const;
  return reasoning;
}
