import { createAdapter } from "../splice/index.ts";
import { limitFields } from "../splice/limit-fields.ts";
import { canonicalText } from "./canonical-text.ts";
import { describeRequest } from "./describe-request.ts";
import { editBlock } from "./edit-block.ts";
import { followChatReply } from "./follow-reply.ts";
import { groupItems, placeBlocks } from "./group-items.ts";
import { writeStandIn } from "./write-stand-in.ts";

/** Servers of this wire have it under any base. */
const PATH = /\/chat\/completions\/?$/;

const ALLOWANCES = ["max_completion_tokens", "max_tokens"];

/** OpenAI's Chat Completions. */
export const openaiChatAdapter = createAdapter({
  name: "openai-chat",
  listPaths: [["messages"]],
  // The base URL names its version, since not every client does.
  upstream: { name: "openai", url: "https://api.openai.com/v1", isCommon: true, replacesVersion: true },
  sessions: { headers: [{ name: "x-session-id", agent: "session" }] },
  telemetry: { provider: "openai", attributes: { "openai.api.type": "chat_completions" } },
  operationOf: (path) => (PATH.test(path) ? "generate" : undefined),
  findList: (body) =>
    Array.isArray(body.messages) ? { fields: body, path: ["messages"], items: body.messages } : undefined,
  group: groupItems,
  describe: describeRequest,
  canonical: canonicalText,
  placeBlocks,
  editBlock,
  writeStandIn,
  limitReply: (body, maxOutputTokens) => limitFields(body, ALLOWANCES, maxOutputTokens),
  followReply: followChatReply,
});
