import { entryAt } from "../../core/json/entry-at.ts";
import { limitFields } from "../../core/json/limit-fields.ts";
import type { Block, Content, Message } from "../../core/message/message.ts";
import { isToolUse } from "../../core/message/tool-pairs.ts";
import type { OnlyTool, RawRequest, WireAdapter, WireRequest } from "../../core/ports/wire-adapter.ts";
import { asArray, asName, asNumber, asRecord, asText, fieldAt } from "../../core/transcript/read-json.ts";
import { canonicalItem } from "./canonical.ts";
import { followReply } from "./follow-reply.ts";
import type { ItemGroup } from "./group-items.ts";
import { type Layout, readLayout } from "./layout.ts";
import { writeRequest } from "./write-request.ts";

/** Requests to `…/responses`. A conversation that the provider keeps itself (`previous_response_id`) is not read. */
export const openaiResponsesAdapter: WireAdapter = {
  name: "openai-responses",
  readRequest,
  writeRequest: (request, parts) => writeRequest(layoutOf(request.raw), parts),
  limitReply: (body, maxOutputTokens) => limitFields(body, ["max_output_tokens"], maxOutputTokens),
  followReply,
};

// A request is read once and written soon after.
const layouts = new WeakMap<RawRequest, Layout | undefined>();

function layoutOf(raw: RawRequest): Layout | undefined {
  if (!layouts.has(raw)) layouts.set(raw, readLayout(raw));
  return layouts.get(raw);
}

/** Not what stands below it, such as `/responses/compact`. */
const PATH = /\/responses\/?$/;

function readRequest(raw: RawRequest): WireRequest | undefined {
  try {
    const layout = PATH.test(raw.path) ? layoutOf(raw) : undefined;
    return layout === undefined ? undefined : toRequest(raw, layout);
  } catch {
    // Such as JSON nested beyond the stack: it is the provider's to refuse.
    return undefined;
  }
}

function toRequest(raw: RawRequest, layout: Layout): WireRequest {
  const { fields, groups } = layout;
  const messages = groups.map(messageOf);
  const tools = [...asArray(fields.tools), ...layout.items.flatMap(additionalTools)];
  return {
    raw,
    operation: "generate",
    modelId: asName(fields.model) ?? "",
    isStreaming: fields.stream === true,
    maxOutputTokens: asNumber(fields.max_output_tokens),
    systemPrompt: systemPromptOf(layout),
    tools,
    onlyTool: onlyToolOf(tools, fields.tool_choice),
    messages,
    canonical: (index) => canonicalGroup(entryAt(groups, index), layout),
    items: (index) => entryAt(groups, index).items.map((item) => layout.items[item]),
    callIds: messages.map(callIdsOf),
    agentSession: asName(fields.prompt_cache_key),
  };
}

function onlyToolOf([tool, ...others]: readonly unknown[], choice: unknown): OnlyTool | undefined {
  const name = asName(fieldAt(tool, "name"));
  if (name === undefined || others.length > 0) return undefined;
  const type = fieldAt(choice, "type");
  return { name, isForced: choice === "required" || type === "function" || type === "custom" };
}

function canonicalGroup({ items }: ItemGroup, layout: Layout): string {
  let text = "";
  for (const index of items) text += `${canonicalItem(layout.items[index])}\n`;
  return text;
}

function callIdsOf({ content }: Message): readonly string[] {
  return typeof content === "string" ? [] : content.filter(isToolUse).map(({ id }) => id);
}

function systemPromptOf({ fields, read, items, headCount }: Layout): string {
  const head = read.slice(0, headCount).flatMap((item, index) => {
    if (item.type === "system") return [item.text];
    return item.type === "unknown" ? [JSON.stringify(items[index])] : [];
  });
  return [asText(fields.instructions) ?? "", ...head].filter((text) => text !== "").join("\n\n");
}

function additionalTools(value: unknown): readonly unknown[] {
  const item = asRecord(value);
  return item?.type === "additional_tools" ? asArray(item.tools) : [];
}

function messageOf({ role, blocks, isPinned }: ItemGroup): Message {
  const content = contentOf(
    blocks.map(({ block }) => block),
    blocks[0]?.place.type === "content",
  );
  return isPinned ? { role, content, important: true } : { role, content };
}

/** A string stays a string where nothing else is said about it. */
function contentOf(blocks: readonly Block[], isString: boolean): Content {
  const [first] = blocks;
  const isPlain = isString && blocks.length === 1 && first !== undefined && Object.keys(first).length === 2;
  return isPlain && "text" in first && typeof first.text === "string" ? first.text : blocks;
}
