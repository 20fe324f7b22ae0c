import { sliceFields } from "../../core/json/json-slices.ts";
import { asArray, asName, asNumber, asRecord, asText, fieldAt, isRecord } from "../../core/json/read-json.ts";
import { stableList, stableRecord, stableString, stableText } from "../../core/json/stable-text.ts";
import type { OnlyTool } from "../../core/ports/wire-adapter.ts";
import { RECALL_TOOL_NAME, RECALL_TOOL_SHAPES, UNANSWERED_CALL } from "../../core/recall/tool-definition.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { durationMs } from "../splice/duration.ts";
import { endOfList, fieldsOf, limitFields, rememberInsertions, setField } from "../splice/edit-fields.ts";
import { createAdapter, type DescribedRequest, type WireConversation } from "../splice/index.ts";
import { relayReplies } from "../splice/recall/relay-replies.ts";
import type { RecallDescription } from "../splice/wire-description.ts";
import { editBlock } from "./edit-block.ts";
import { followChatReply } from "./follow-reply.ts";
import { groupItems, placeBlocks } from "./group-items.ts";
import { chatRelay } from "./recall/relay.ts";
import { writeStandIn } from "./write-stand-in.ts";

/** Many servers speak this API, under any base path. */
const PATH = /\/chat\/completions\/?$/;

const ALLOWANCES = ["max_completion_tokens", "max_tokens"];

/** The recall tool on Chat Completions. */
const chatRecall: RecallDescription = {
  offer: (body, { raw, tools }) => {
    const fields = fieldsOf(raw);
    // Several replies (`n`) cannot be continued as one. `functions` is the older form of `tools`: a request has one or the other.
    if ((asNumber(fields.n) ?? 1) > 1 || fields.functions !== undefined) return undefined;
    if (tools.some((tool) => fieldAt(tool, "function", "name") === RECALL_TOOL_NAME)) return undefined;
    return tools.length === 0 ? setField(body, "tools", `[${DEFINITION}]`) : addToTools(body);
  },
  definition: RECALL_TOOL_SHAPES["openai-chat"](),
  forbidCalls: (body) => setField(body, "tool_choice", '"none"'),
  results: (results) =>
    results.map(({ id, text }) => JSON.stringify({ role: "tool", tool_call_id: id, content: text })),
  unansweredLine: JSON.stringify({ role: "assistant", content: UNANSWERED_CALL }),
  isReply: (item) => fieldAt(item, "role") === "assistant",
  relay: () => relayReplies(chatRelay),
};

/** OpenAI's Chat Completions. */
export const openaiChatAdapter = createAdapter({
  name: "openai-chat",
  listPaths: [["messages"]],
  // The base URL has the version in it, as not every client sends one.
  upstream: { name: "openai", url: "https://api.openai.com/v1", isCommon: true, replacesVersion: true },
  sessions: { headers: [{ name: "x-session-id", agent: "session", parent: "x-parent-session-id" }] },
  tolerates: ["first-turn-not-user", "empty-content", "trailing-whitespace"],
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
  recall: chatRecall,
});

/** What a request says besides its conversation: model, limits, system prompt, tools, session and cache lifetime. */
function describeRequest({ fields, items, headCount }: WireConversation): DescribedRequest {
  const tools = [...asArray(fields.tools), ...asArray(fields.functions)];
  return {
    modelId: asText(fields.model) ?? "",
    isStreaming: fields.stream === true,
    maxOutputTokens: asNumber(fields.max_completion_tokens) ?? asNumber(fields.max_tokens),
    systemPrompt: items.slice(0, headCount).map(systemText).join("\n\n"),
    tools,
    onlyTool: onlyToolOf(tools, fields.tool_choice),
    agentSession: asName(fields.prompt_cache_key),
    cacheTtlMs: durationMs(fields.prompt_cache_retention) ?? durationMs(fieldAt(fields, "prompt_cache_options", "ttl")),
  };
}

function onlyToolOf([tool, ...others]: readonly unknown[], choice: unknown): OnlyTool | undefined {
  const name = asName(fieldAt(tool, "function", "name") ?? fieldAt(tool, "name"));
  if (name === undefined || others.length > 0) return undefined;
  return { name, isForced: choice === "required" || fieldAt(choice, "type") === "function" };
}

function systemText(item: unknown): string {
  const content = fieldAt(item, "content");
  if (typeof content === "string") return content;
  return asArray(content)
    .map((part) => asText(fieldAt(part, "text")) ?? serialize(part))
    .join("\n");
}

/**
 * One text for all ways to write these items: no cache marks, no fields that are null, sorted keys, a list of one text part as a string. Items
 * with equal texts must be read as the same blocks, because folds of the one are applied to the other.
 */
function canonicalText(items: readonly unknown[]): string {
  let text = "";
  for (const item of items) text += `${stableRecord(asRecord(item) ?? {}, itemField)}\n`;
  return text;
}

function itemField(name: string, value: unknown): string | undefined {
  if (value === null || isCacheMark(name)) return undefined;
  return name === "content" ? canonicalContent(value) : canonicalValue(value);
}

/** The canonical text of a content; undefined if it is empty. */
function canonicalContent(content: unknown): string | undefined {
  if (content === "" || (Array.isArray(content) && content.length === 0)) return undefined;
  if (!Array.isArray(content) || content.length > 1) return canonicalValue(content);
  const text = plainText(content[0]);
  return text === undefined ? canonicalValue(content) : stableString(text);
}

/** The text of a part that has no other field than its text and cache marks; else undefined. */
function plainText(part: unknown): string | undefined {
  if (!isRecord(part) || part.type !== "text" || typeof part.text !== "string" || part.text === "") return undefined;
  const isPlain = Object.keys(part).every((name) => name === "type" || name === "text" || isCacheMark(name));
  return isPlain ? part.text : undefined;
}

function canonicalValue(value: unknown): string {
  if (Array.isArray(value)) return stableList(value, canonicalValue);
  return isRecord(value) ? stableRecord(value, valueField) : stableText(value);
}

function valueField(name: string, value: unknown): string | undefined {
  return isCacheMark(name) ? undefined : canonicalValue(value);
}

/** Cache marks, which clients move from request to request. Some servers prefix the name. */
function isCacheMark(name: string): boolean {
  return name.endsWith("cache_control");
}

const DEFINITION = JSON.stringify(RECALL_TOOL_SHAPES["openai-chat"]());

const addToTools = rememberInsertions((body) => {
  const tools = sliceFields(body)?.get("tools");
  return tools && endOfList(body, tools, DEFINITION);
});
