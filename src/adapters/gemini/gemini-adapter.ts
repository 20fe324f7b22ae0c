import { createAdapter } from "../splice/index.ts";
import { arrange } from "./arrange.ts";
import { canonicalTurn } from "./canonical-turn.ts";
import { describeRequest } from "./describe-request.ts";
import { editBlock, placeBlocks } from "./edit-block.ts";
import { followReply } from "./follow-reply.ts";
import { plainCallId } from "./name-calls.ts";
import { groupTurns } from "./read-turns.ts";
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
});
