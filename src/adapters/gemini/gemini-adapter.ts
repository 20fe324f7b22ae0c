import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import { followReply } from "./follow-reply.ts";
import { readRequest } from "./read-request.ts";
import { writeRequest } from "./write-request.ts";

/** Gemini's `generateContent` and `streamGenerateContent`, and `countTokens` where it counts a whole conversation. */
export const geminiAdapter: WireAdapter = {
  name: "gemini",
  readRequest,
  writeRequest,
  // Google's limit is for the prompt alone.
  limitReply: (body) => body,
  followReply,
};
