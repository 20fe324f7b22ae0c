import { type Block, isKnownBlock, type Message } from "../../message/message.ts";

const STUB = "[old tool result removed]";

/** Replaces all tool results but the newest `keep` by a stub. */
export function maskResults(messages: readonly Message[], keep: number): readonly Message[] {
  let left = keep;
  const masked = messages.toReversed().map((message): Message => {
    if (typeof message.content === "string" || !message.content.some(isResult)) return message;
    const content = message.content.toReversed().map((block): Block => {
      if (!isResult(block)) return block;
      return left-- > 0 ? block : { ...block, content: STUB };
    });
    return { ...message, content: content.reverse() };
  });
  return masked.reverse();
}

function isResult(block: Block): boolean {
  return isKnownBlock(block) && block.type === "tool_result";
}
