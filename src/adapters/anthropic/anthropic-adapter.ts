import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import { followReply } from "./follow-reply.ts";
import { readRequest } from "./read-request.ts";
import { writeRequest } from "./write-request.ts";

/** Anthropic's Messages API: requests for a reply, and those that only count tokens. */
export const anthropicAdapter: WireAdapter = { name: "anthropic", readRequest, writeRequest, followReply };
