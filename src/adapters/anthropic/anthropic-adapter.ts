import { limitFields } from "../../core/json/limit-fields.ts";
import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import { followReply } from "./follow-reply.ts";
import { readRequest } from "./read-request.ts";
import { writeRequest } from "./write-request.ts";

/** Anthropic's Messages API: requests for a reply, and those that only count tokens. */
export const anthropicAdapter: WireAdapter = {
  name: "anthropic",
  readRequest,
  writeRequest,
  limitReply: (body, maxOutputTokens) => limitFields(body, ["max_tokens"], maxOutputTokens),
  followReply,
};
