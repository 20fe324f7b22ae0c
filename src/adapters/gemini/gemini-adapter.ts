import { createAdapter } from "../splice/index.ts";
import { arrange } from "./arrange.ts";
import { canonicalTurn } from "./canonical-turn.ts";
import { describeRequest } from "./describe-request.ts";
import { editBlock, placeBlocks } from "./edit-block.ts";
import { followReply } from "./follow-reply.ts";
import { plainCallId } from "./name-calls.ts";
import { groupTurns } from "./read-turns.ts";
import { findContents, operationOf } from "./request-target.ts";
import { copiedItems, writeStandIn } from "./write-stand-in.ts";

/** Gemini's `generateContent` and `streamGenerateContent`, and `countTokens` where it counts a whole conversation. */
export const geminiAdapter = createAdapter({
  name: "gemini",
  operationOf,
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
});
