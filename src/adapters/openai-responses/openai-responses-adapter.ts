import { type JsonSlice, sliceFields } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import {
  asArray,
  asName,
  asNumber,
  asRecord,
  asText,
  fieldAt,
  isRecord,
  type JsonRecord,
} from "../../core/json/read-json.ts";
import { stableList, stableRecord, stableText } from "../../core/json/stable-text.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { isToolUse } from "../../core/message/tool-pairs.ts";
import type { OnlyTool } from "../../core/ports/wire-adapter.ts";
import { RECALL_TOOL_NAME, RECALL_TOOL_SHAPES, UNANSWERED_CALL } from "../../core/recall/tool-definition.ts";
import { sliceBody } from "../splice/body-slices.ts";
import { durationMs } from "../splice/duration.ts";
import { addField, endOfList, fieldsOf, limitFields, rememberInsertions, setField } from "../splice/edit-fields.ts";
import { createAdapter, type DescribedRequest, type ItemList, type WireConversation } from "../splice/index.ts";
import { relayReplies } from "../splice/recall/relay-replies.ts";
import type { RecallDescription } from "../splice/wire-description.ts";
import { arrange } from "./arrange.ts";
import { editBlock } from "./edit-block.ts";
import { followReply } from "./follow-reply.ts";
import { groupInput, type ResponsesReading } from "./group-items.ts";
import { answeredId, COMPACTION_TRIGGER } from "./read-item.ts";
import { responsesRelay } from "./recall/relay.ts";
import { copiedItems, writeStandIn } from "./write-stand-in.ts";

/** Excludes other paths under `responses`, such as those of stored responses. */
const PATH = /\/responses(\/compact)?\/?$/;

/** The recall tool on the Responses API. */
const responsesRecall: RecallDescription = {
  offer: (body, { raw, tools }) => {
    const fields = fieldsOf(raw);
    // A reply that runs in the background is fetched later, from the provider itself.
    if (fields.background === true || tools.some(isTaken)) return undefined;
    if (asArray(fields.tools).length > 0) return addToTools(body);
    const added = tools.length === 0 ? undefined : addToItem(body);
    return added ?? setField(body, "tools", `[${DEFINITION}]`);
  },
  definition: RECALL_TOOL_SHAPES["openai-responses"](),
  forbidCalls: (body) => setField(body, "tool_choice", '"none"'),
  results: (results) =>
    results.map(({ id, text }) => JSON.stringify({ type: "function_call_output", call_id: id, output: text })),
  unansweredLine: JSON.stringify({
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text: UNANSWERED_CALL }],
  }),
  isReply: (item) => fieldAt(item, "role") === "assistant" || fieldAt(item, "role") === undefined,
  relay: () => relayReplies(responsesRelay),
};

/** Requests to `…/responses`. A conversation that the provider keeps itself (`previous_response_id`) is not read. */
export const openaiResponsesAdapter = createAdapter({
  name: "openai-responses",
  listPaths: [["input"]],
  // The base URL has the version in it, as not every client sends one.
  upstream: { name: "openai", url: "https://api.openai.com/v1", isCommon: true, replacesVersion: true },
  // The thread first: it is one conversation, of which a session may have several.
  sessions: {
    headers: ["thread-id", "session-id", "conversation_id", "session_id"].map((name) => ({
      ...{ name, agent: "codex", parent: "x-codex-parent-thread-id" },
    })),
  },
  tolerates: ["first-turn-not-user", "empty-content", "trailing-whitespace", "result-not-first"],
  showDamage,
  telemetry: { provider: "openai", attributes: { "openai.api.type": "responses" } },
  operationOf(path) {
    const [whole, compact] = PATH.exec(path) ?? [];
    if (whole === undefined) return undefined;
    return compact === undefined ? "generate" : "compact";
  },
  findList: findInput,
  withList,
  separator: "first-gap",
  group: groupInput,
  describe: describeRequest,
  canonical: canonicalItems,
  placeBlocks: ({ blocks }) => blocks,
  editBlock,
  writeStandIn,
  copiedItems,
  arrange,
  limitReply: (body, maxOutputTokens) => limitFields(body, ["max_output_tokens"], maxOutputTokens),
  askCacheDiagnosis,
  followReply,
  recall: responsesRecall,
});

/** Models before GPT-5.6 refuse `prompt_cache_options`. */
const OLDEST_DIAGNOSED = { major: 5, minor: 6 };

function askCacheDiagnosis(body: string, earlierReplyId: string | undefined): string {
  const fields = sliceFields(body);
  const textOf = (name: string) => asText(tryParseJson(sliceText(body, fields?.get(name))));
  if (earlierReplyId === undefined || !isDiagnosed(textOf("model") ?? "")) return body;
  const owner = fields?.get("prompt_cache_options");
  const value = earlierReplyId;
  if (owner !== undefined) return addField(body, "comparison_response_id", { value, owner });
  return addField(body, "prompt_cache_options", { value: { comparison_response_id: value } });
}

function sliceText(body: string, slice: JsonSlice | undefined): string {
  return slice === undefined ? "" : body.slice(slice.start, slice.end);
}

function isDiagnosed(modelId: string): boolean {
  const [, major, minor = "0"] = /^gpt-(\d{1,3})(?:\.(\d{1,3}))?/.exec(modelId) ?? [];
  if (major === undefined) return false;
  const { major: least, minor: leastMinor } = OLDEST_DIAGNOSED;
  return Number(major) > least || (Number(major) === least && Number(minor) >= leastMinor);
}

/** Finds the input, which may be one string: then it is the only item. */
function findInput(body: JsonRecord): ItemList | undefined {
  const { input } = body;
  if (isContinued(body) || !(Array.isArray(input) || typeof input === "string")) return undefined;
  return { fields: body, path: ["input"], items: Array.isArray(input) ? input : [input] };
}

/** Whether the request continues a conversation that the provider keeps: the body holds only a part of it. */
function isContinued({ previous_response_id, conversation }: JsonRecord): boolean {
  return (previous_response_id ?? conversation ?? undefined) !== undefined;
}

function withList(body: string, { fields }: ItemList): string {
  const input = Array.isArray(fields.input) ? undefined : sliceFields(body)?.get("input");
  if (input === undefined) return body;
  const item = `{"role":"user","content":${body.slice(input.start, input.end)}}`;
  return `${body.slice(0, input.start)}[${item}]${body.slice(input.end)}`;
}

/** What a request says besides its conversation: model, limits, system prompt, tools, session and cache lifetime. */
function describeRequest(conversation: WireConversation<ResponsesReading>): DescribedRequest {
  const { fields, addedTools, items } = conversation;
  const tools = [...asArray(fields.tools), ...addedTools];
  return {
    ...(fieldAt(items.at(-1), "type") === COMPACTION_TRIGGER && { operation: "compact" as const }),
    modelId: asName(fields.model) ?? "",
    isStreaming: fields.stream === true,
    maxOutputTokens: asNumber(fields.max_output_tokens),
    systemPrompt: systemPromptOf(conversation),
    tools,
    onlyTool: onlyToolOf(tools, fields.tool_choice),
    agentSession: asName(fields.prompt_cache_key),
    cacheTtlMs: durationMs(fields.prompt_cache_retention) ?? durationMs(fieldAt(fields, "prompt_cache_options", "ttl")),
  };
}

function onlyToolOf([tool, ...others]: readonly unknown[], choice: unknown): OnlyTool | undefined {
  const name = asName(fieldAt(tool, "name"));
  if (name === undefined || others.length > 0) return undefined;
  const type = fieldAt(choice, "type");
  return { name, isForced: choice === "required" || type === "function" || type === "custom" };
}

function systemPromptOf({ fields, read, items, headCount }: WireConversation<ResponsesReading>): string {
  const head = read.slice(0, headCount).flatMap((item, index) => {
    if (item.type === "system") return [item.text];
    return item.type === "unknown" ? [JSON.stringify(items[index])] : [];
  });
  return [asText(fields.instructions) ?? "", ...head].filter((text) => text !== "").join("\n\n");
}

/**
 * Shows outputs without a call, which we read as blocks of the turn that they stand in, as results. Calls of built-in tools with their output
 * beside them in the same turn are answered, and no damage.
 */
function showDamage(message: Message): Message {
  const { content } = message;
  if (typeof content === "string" || message.role === "user") return message;
  const answered = new Set(content.map(answeredId));
  const shown = content.map((block) => {
    if (block.type === "orphan_output") return asResult(block);
    return isToolUse(block) && answered.has(block.id) ? { ...block, type: "answered_call" } : block;
  });
  return shown.every((block, index) => block === content[index]) ? message : { ...message, content: shown };
}

function asResult(block: Block): Block {
  return { ...block, type: "tool_result", tool_use_id: asName(fieldAt(block, "tool_use_id")) ?? "" };
}

/** One text for all ways to write the same items: see `WireRequest.canonical`. */
function canonicalItems(items: readonly unknown[]): string {
  let text = "";
  for (const item of items) text += `${canonicalItem(item)}\n`;
  return text;
}

function canonicalItem(value: unknown): string {
  // The whole input may be one string.
  if (typeof value === "string") return canonicalItem({ role: "user", content: value });
  const item = asRecord(value);
  return item === undefined ? stableText(value) : stableRecord(item, (name, field) => itemField(item, name, field));
}

function itemField(item: JsonRecord, name: string, field: unknown): string | undefined {
  switch (name) {
    case "type":
      // a message may leave out its type
      return field === "message" && item.role !== undefined ? undefined : stableText(field);
    case "content":
      return canonicalParts(field, item.role === "assistant" ? "output_text" : "input_text");
    case "output":
      return canonicalParts(field, "input_text");
    default:
      return unmarked(name, field);
  }
}

function canonicalParts(content: unknown, textType: string): string {
  if (typeof content === "string") return stableList([{ type: textType, text: content }], canonicalPart);
  return Array.isArray(content) ? stableList(content, canonicalPart) : stableText(content);
}

function canonicalPart(part: unknown): string {
  return isRecord(part) ? stableRecord(part, unmarked) : stableText(part);
}

/** The text of a field; undefined for cache marks, which clients move from request to request. */
function unmarked(name: string, field: unknown): string | undefined {
  return name === "cache_control" || name === "prompt_cache_breakpoint" ? undefined : stableText(field);
}

const DEFINITION = JSON.stringify(RECALL_TOOL_SHAPES["openai-responses"]());

function isTaken(tool: unknown): boolean {
  return fieldAt(tool, "name") === RECALL_TOOL_NAME;
}

const addToTools = rememberInsertions((body) => {
  const tools = sliceFields(body)?.get("tools");
  return tools && endOfList(body, tools, DEFINITION);
});

/** For the newest models, which take tools as an item and not as a field. The first such item has the agent's tools. */
const addToItem = rememberInsertions((body) => {
  const { items, field, itemText } = sliceBody(body, ["input"]);
  const place = items.findIndex((_, index) => fieldAt(tryParseJson(itemText(index)), "type") === "additional_tools");
  const tools = field(items[place], "tools");
  return tools && endOfList(body, tools, DEFINITION);
});
