import { demand } from "../../core/demand.ts";
import { entryAt } from "../../core/json/entry-at.ts";
import { limitFields } from "../../core/json/limit-fields.ts";
import type { Message } from "../../core/message/message.ts";
import { isToolUse } from "../../core/message/tool-pairs.ts";
import type { OnlyTool, RawRequest, WireAdapter, WireRequest } from "../../core/ports/wire-adapter.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { asArray, asName, asNumber, asText, fieldAt, type JsonRecord } from "../../core/transcript/read-json.ts";
import { canonicalText } from "./canonical-text.ts";
import { type ChatLayout, readLayout } from "./chat-layout.ts";
import { followChatReply } from "./follow-reply.ts";
import { groupItems, type ItemGroup } from "./group-items.ts";
import { writeBody } from "./write-request.ts";

/** Servers of this wire have it under any base. */
const PATH = /\/chat\/completions\/?$/;

const ALLOWANCES = ["max_completion_tokens", "max_tokens"];

/** OpenAI's Chat Completions. */
export const openaiChatAdapter: WireAdapter = {
  name: "openai-chat",
  readRequest(raw) {
    if (!PATH.test(raw.path)) return undefined;
    try {
      const conversation = readConversation(raw);
      if (conversation === undefined) return undefined;
      const request = { raw, ...describe(conversation) };
      conversations.set(request, conversation);
      return request;
    } catch {
      // Nested deeper than the stack goes: nobody's conversation, and not ours to judge.
      return undefined;
    }
  },
  writeRequest(request, parts) {
    const conversation = conversations.get(request) ?? readConversation(request.raw);
    demand(conversation !== undefined, "request.raw.body", request.raw.body, "a request that was read");
    return writeBody(conversation.layout, conversation.groups, parts);
  },
  limitReply: (body, maxOutputTokens) => limitFields(body, ALLOWANCES, maxOutputTokens),
  followReply: followChatReply,
};

interface Conversation {
  readonly layout: ChatLayout;
  readonly groups: readonly ItemGroup[];
}

/** Where everything stands is found once, when a request is read. */
const conversations = new WeakMap<WireRequest, Conversation>();

function readConversation(raw: RawRequest): Conversation | undefined {
  const layout = readLayout(raw);
  const groups = layout === undefined ? undefined : groupItems(layout);
  return layout === undefined || groups === undefined ? undefined : { layout, groups };
}

function describe({ layout, groups }: Conversation): Omit<WireRequest, "raw"> {
  const { record, items, systemCount } = layout;
  const messages = groups.map(({ message }) => message);
  const tools = [...asArray(record.tools), ...asArray(record.functions)];
  return {
    operation: "generate",
    modelId: asText(record.model) ?? "",
    isStreaming: record.stream === true,
    maxOutputTokens: asNumber(record.max_completion_tokens) ?? asNumber(record.max_tokens),
    systemPrompt: items.slice(0, systemCount).map(systemText).join("\n\n"),
    tools,
    onlyTool: onlyToolOf(tools, record.tool_choice),
    messages,
    canonical(index) {
      const { start, end } = entryAt(groups, index);
      return canonicalText(items.slice(start, end));
    },
    items(index) {
      const { start, end } = entryAt(groups, index);
      return items.slice(start, end);
    },
    callIds: messages.map(callIdsOf),
    agentSession: asName(record.prompt_cache_key),
  };
}

function onlyToolOf([tool, ...others]: readonly unknown[], choice: unknown): OnlyTool | undefined {
  const name = asName(fieldAt(tool, "function", "name") ?? fieldAt(tool, "name"));
  if (name === undefined || others.length > 0) return undefined;
  return { name, isForced: choice === "required" || fieldAt(choice, "type") === "function" };
}

function callIdsOf({ content }: Message): readonly string[] {
  return typeof content === "string" ? [] : content.filter(isToolUse).map(({ id }) => id);
}

function systemText({ content }: JsonRecord): string {
  if (typeof content === "string") return content;
  return asArray(content)
    .map((part) => asText(fieldAt(part, "text")) ?? serialize(part))
    .join("\n");
}
