import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import type { Piece, SentMessage } from "../splice/index.ts";
import { contentText } from "./edit-block.ts";

const GO_ON: Piece = { text: contentText("user", [JSON.stringify({ text: "Go on from there." })]) };

/** The contents of the messages, with a user's word of ours where Gemini demands one. */
export function arrange(messages: readonly SentMessage[]): readonly Piece[] {
  const pieces = messages.flatMap((sent, position) => {
    return needsUser(messages[position - 1], sent) ? [GO_ON, ...sent.pieces] : sent.pieces;
  });
  const last = messages.at(-1);
  return last?.group === undefined && last?.message.role === "assistant" ? [...pieces, GO_ON] : pieces;
}

/**
 * Calls of the model must come right after the user, and a user must speak first, and last where a stand-in did. A stand-in's
 * calls come after the user's own words: from there on Gemini looks for signatures, and those of older turns may be gone.
 */
function needsUser(last: SentMessage | undefined, next: SentMessage): boolean {
  // What came in this order was the agent's own doing.
  if (next.message.role === "user" || next.isInPlace) return false;
  if (last === undefined || last.message.role === "assistant") return true;
  const isCarrying = next.group === undefined && contentBlocks(next.message.content).some(isToolUse);
  return isCarrying && contentBlocks(last.message.content).some(isToolResult);
}
