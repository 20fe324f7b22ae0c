import { sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import { asRecord, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import type { Message } from "../../core/message/message.ts";
import type { RecallResult } from "../../core/ports/wire-recall.ts";
import { RECALL_TOOL_NAME, RECALL_TOOL_SHAPES, UNANSWERED_CALL } from "../../core/recall/tool-definition.ts";
import { addField, endOfList, limitFields, rememberInsertions, setField } from "../splice/edit-fields.ts";
import { createAdapter, type Grouping, type ItemGroup, type ItemList } from "../splice/index.ts";
import { groupEach } from "../splice/read-once.ts";
import { relayReplies } from "../splice/recall/relay-replies.ts";
import type { RecallDescription } from "../splice/wire-description.ts";
import { arrange, hasThinkingBudget } from "./arrange.ts";
import { markForCache } from "./cache-marks.ts";
import { canonicalItems } from "./canonical.ts";
import { anthropicClearing } from "./clearing.ts";
import { describeRequest } from "./describe-request.ts";
import { editBlock, placeBlocks, showDamage, writeStandIn } from "./edit-block.ts";
import { followReply } from "./follow-reply.ts";
import { readMessage } from "./read-message.ts";
import { anthropicRelay } from "./recall/relay.ts";

/** Excludes other paths under `messages`, such as batches, and the messages of OpenAI's threads, which are no requests to a model. */
const PATH = /^(?!.*\/threads\/).*\/messages(\/count_tokens)?\/?$/;

/** The recall tool on Anthropic's Messages API. */
const anthropicRecall: RecallDescription = {
  offer: (body, { tools }) => {
    if (tools.some((tool) => fieldAt(tool, "name") === RECALL_TOOL_NAME)) return undefined;
    return tools.length === 0 ? setField(body, "tools", `[${DEFINITION}]`) : addToTools(body);
  },
  definition: RECALL_TOOL_SHAPES.anthropic(),
  forbidCalls: (body) => setField(body, "tool_choice", '{"type":"none"}'),
  results: (results) => [JSON.stringify({ role: "user", content: results.map(resultBlock) })],
  unansweredLine: JSON.stringify({ role: "assistant", content: [{ type: "text", text: UNANSWERED_CALL }] }),
  isReply: (item) => fieldAt(item, "role") === "assistant",
  addResults,
  relay: () => relayReplies(anthropicRelay),
};

/**
 * Anthropic's Messages API: requests for a reply, and those that only count tokens. One that goes on with a thread that the provider keeps
 * is not read; one that begins a thread has the whole conversation, as any other.
 */
export const anthropicAdapter = createAdapter({
  name: "anthropic",
  listPaths: [["messages"]],
  upstream: {
    name: "anthropic",
    url: "https://api.anthropic.com",
    paths: /^(?:\/v1)?\/messages(?:\/|$)/,
    headers: ["anthropic-version", "anthropic-beta"],
  },
  // Claude Code sends its session id in a header and in the body. Its sub-agents run beside the main conversation, under the same session id.
  sessions: {
    headers: [{ name: "x-claude-code-session-id", agent: "claude-code", subAgent: "x-claude-code-agent-id" }],
    bodyAgent: "claude-code",
  },
  limits: { maxBodyBytes: 32 * 1024 * 1024, maxImages: 100 },
  showDamage,
  telemetry: { provider: "anthropic" },
  operationOf(path) {
    const [whole, count] = PATH.exec(path) ?? [];
    if (whole === undefined) return undefined;
    return count === undefined ? "generate" : "count-tokens";
  },
  findList: (body) =>
    Array.isArray(body.messages) && !isContinued(body)
      ? { fields: body, path: ["messages"], items: body.messages }
      : undefined,
  group: groupMessages,
  describe: describeRequest,
  canonical: canonicalItems,
  placeBlocks,
  editBlock,
  writeStandIn,
  // `arrange` may copy thinking from a hidden message.
  copiedItems: (_, { fields }) => (hasThinkingBudget(fields) ? "all" : []),
  arrange,
  markForCache,
  limitReply: (body, maxOutputTokens) => limitFields(body, ["max_tokens"], maxOutputTokens),
  askCacheDiagnosis: (body, earlierReplyId) =>
    addField(body, "diagnostics", { value: { previous_message_id: earlierReplyId ?? null } }),
  followReply,
  clearing: anthropicClearing,
  recall: anthropicRecall,
});

/** The provider has the rest of the conversation: what came before is not ours to fold. */
function isContinued({ thread }: JsonRecord): boolean {
  return fieldAt(thread, "type") === "continue";
}

/**
 * Groups each item of user or assistant with the items of other roles that follow it (system messages, unknown roles) into one message.
 * Items of other roles before the first turn are the head: they are always sent.
 */
export function groupMessages({ items }: ItemList): Grouping {
  const groups = groupTurns(items);
  return { headCount: groups[0]?.items[0] ?? items.length, groups };
}

const groupTurns = groupEach<unknown, ItemGroup>(() => (items, from, list) => {
  for (let start = from, end = from; start < items.length; start = end) {
    const role = turnRole(items[start]);
    end = endOfTurn(items, start);
    if (role === undefined) continue;
    list.resumable(start);
    list.add(groupOf(role, items, { start, end }));
  }
});

/** The index at which the next turn begins. */
function endOfTurn(items: readonly unknown[], start: number): number {
  let end = start + 1;
  while (end < items.length && turnRole(items[end]) === undefined) end++;
  return end;
}

interface ItemRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

function groupOf(role: Message["role"], items: readonly unknown[], { start, end }: ItemRange): ItemGroup {
  const indexes = Array.from({ length: end - start }, (_, offset) => start + offset);
  return { message: readMessage(role, items[start], items.slice(start + 1, end)), items: indexes };
}

function turnRole(item: unknown): Message["role"] | undefined {
  const role = asRecord(item)?.role;
  return role === "user" || role === "assistant" ? role : undefined;
}

const DEFINITION = JSON.stringify(RECALL_TOOL_SHAPES.anthropic());

const addToTools = rememberInsertions((body) => {
  const tools = sliceFields(body)?.get("tools");
  return tools && endOfList(body, tools, DEFINITION);
});

function resultBlock({ id, text }: RecallResult) {
  return { type: "tool_result", tool_use_id: id, content: text };
}

/** The API accepts results only before all other blocks of their message. */
function addResults(item: string, results: readonly RecallResult[]): string {
  const content = sliceFields(item)?.get("content");
  const blocks = content && sliceItems(item, content.start);
  const first = blocks?.[0];
  if (first === undefined) return item;
  const added = results.map((result) => `${JSON.stringify(resultBlock(result))},`).join("");
  return item.slice(0, first.start) + added + item.slice(first.start);
}
