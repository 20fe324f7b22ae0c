import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { plainCallId } from "../../core/transcript/gemini-call-names.ts";
import { createAdapter, type Piece, type SentMessage } from "../splice/index.ts";
import { canonicalTurn } from "./canonical-turn.ts";
import { describeRequest } from "./describe-request.ts";
import { contentText, editBlock, placeBlocks } from "./edit-block.ts";
import { followReply } from "./follow-reply.ts";
import { groupTurns } from "./read-turns.ts";
import { geminiRecall } from "./recall/gemini-recall.ts";
import { findContents, LIST_PATHS, operationOf } from "./request-target.ts";
import { copiedItems, writeStandIn } from "./write-stand-in.ts";

/** Gemini's `generateContent` and `streamGenerateContent`, and `countTokens` where it counts a whole conversation. */
export const geminiAdapter = createAdapter({
  name: "gemini",
  operationOf,
  listPaths: LIST_PATHS,
  upstream: {
    name: "gemini",
    url: "https://generativelanguage.googleapis.com",
    paths: /^\/(?:upload\/)?v\d+(?:alpha|beta)|(?::|%3a)(?:[a-z]*contents?|countTokens)$/i,
    headers: ["x-goog-api-key"],
  },
  telemetry: { provider: "gcp.gemini", operation: "generate_content" },
  findList: findContents,
  separator: "first-gap",
  group: groupTurns,
  describe: describeRequest,
  canonical: canonicalTurn,
  callId: ({ id, name }) => plainCallId(id, name),
  placeBlocks,
  editBlock,
  writeStandIn,
  copiedItems,
  arrange,
  // Google's limit is for the prompt alone.
  limitReply: (body) => body,
  followReply,
  recall: geminiRecall,
});

const GO_ON: Piece = { text: contentText("user", [JSON.stringify({ text: "Go on from there." })]) };

/** The contents of the messages, with a user's word of ours where Gemini demands one. */
function arrange(messages: readonly SentMessage[]): readonly Piece[] {
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
