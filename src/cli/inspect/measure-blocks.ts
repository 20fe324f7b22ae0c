import { type Block, isKnownBlock, type Message, type ToolUseBlock } from "../../core/message/message.ts";
import { detectPairs, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import { countMessageTokens } from "../../core/tokens/count-messages.ts";

/** The kind of a block in an inspection. */
export type Kind =
  | "user text"
  | "assistant text"
  | "reasoning"
  | "tool calls"
  | "tool results"
  | "images"
  | "summaries"
  | "other";

/** A block, or the string that a message consists of, with its size. */
export interface MeasuredBlock {
  readonly message: Message;
  readonly messageIndex: number;
  readonly block: Block;
  readonly kind: Kind;
  readonly tokens: number;
  /** The call that the block is, or that it answers. */
  readonly call: ToolUseBlock | undefined;
}

/** Measures every block of the log, in order. The tokens of the blocks add up to those of the messages. */
export function measureBlocks(messages: readonly Message[]): readonly MeasuredBlock[] {
  const callOf = new Map<Block, ToolUseBlock>(
    detectPairs(messages).flatMap(({ call, result }) => (result === undefined ? [] : [[result.block, call.block]])),
  );
  return messages.flatMap((message, messageIndex): readonly MeasuredBlock[] => {
    const { content } = message;
    if (typeof content === "string") {
      const block: Block = { type: "text", text: content };
      const tokens = countMessageTokens(message);
      return [{ message, messageIndex, block, kind: kindOf(block, message), tokens, call: undefined }];
    }
    return content.map((block) => ({
      message,
      messageIndex,
      block,
      kind: kindOf(block, message),
      // The counts of whole messages are cached, and other code counts them too.
      tokens: content.length === 1 ? countMessageTokens(message) : countContentTokens([block]),
      call: isToolUse(block) ? block : callOf.get(block),
    }));
  });
}

function kindOf(block: Block, { role, isSummary }: Message): Kind {
  if (!isKnownBlock(block)) return "other";
  switch (block.type) {
    case "text":
      if (isSummary === true) return "summaries";
      return role === "user" ? "user text" : "assistant text";
    case "reasoning":
      return "reasoning";
    case "image":
      return "images";
    case "tool_use":
      return "tool calls";
    case "tool_result":
      return "tool results";
  }
}

/** Whether a block is a result whose call is not in the log. */
export function isOrphanResult({ block, call }: MeasuredBlock): boolean {
  return isToolResult(block) && call === undefined;
}
