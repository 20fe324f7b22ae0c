import { createAdapter } from "../splice/index.ts";
import { limitFields } from "../splice/limit-fields.ts";
import { arrange } from "./arrange.ts";
import { canonicalItems } from "./canonical.ts";
import { describeRequest } from "./describe-request.ts";
import { editBlock, placeBlocks } from "./edit-block.ts";
import { followReply } from "./follow-reply.ts";
import { groupMessages } from "./group-messages.ts";
import { hasThinkingBudget } from "./thinking.ts";
import { writeStandIn } from "./write-block.ts";

/** Not what stands beside them, such as batches; and OpenAI's assistants have messages too, which are no requests to a model. */
const PATH = /^(?!.*\/threads\/).*\/messages(\/count_tokens)?\/?$/;

/** Anthropic's Messages API: requests for a reply, and those that only count tokens. */
export const anthropicAdapter = createAdapter({
  name: "anthropic",
  listPaths: [["messages"]],
  upstream: {
    name: "anthropic",
    url: "https://api.anthropic.com",
    paths: /^(?:\/v1)?\/messages(?:\/|$)/,
    headers: ["anthropic-version", "anthropic-beta"],
  },
  // Claude Code says the same in its header and in its body; its sub-agents run beside the main conversation, under its name.
  sessions: {
    headers: [{ name: "x-claude-code-session-id", agent: "claude-code", subAgent: "x-claude-code-agent-id" }],
    bodyAgent: "claude-code",
  },
  limits: { maxBodyBytes: 32 * 1024 * 1024, maxImages: 100 },
  telemetry: { provider: "anthropic" },
  operationOf(path) {
    const [whole, count] = PATH.exec(path) ?? [];
    if (whole === undefined) return undefined;
    return count === undefined ? "generate" : "count-tokens";
  },
  findList: (body) =>
    Array.isArray(body.messages) ? { fields: body, path: ["messages"], items: body.messages } : undefined,
  group: groupMessages,
  describe: describeRequest,
  canonical: canonicalItems,
  placeBlocks,
  editBlock,
  writeStandIn,
  // Thinking may be lent by what is hidden.
  copiedItems: (_, { fields }) => (hasThinkingBudget(fields) ? "all" : []),
  arrange,
  limitReply: (body, maxOutputTokens) => limitFields(body, ["max_tokens"], maxOutputTokens),
  followReply,
});
