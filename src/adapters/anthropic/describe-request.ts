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
import type { OnlyTool, WireOperation } from "../../core/ports/wire-adapter.ts";
import { durationMs } from "../splice/duration.ts";
import type { DescribedRequest, ItemList, WireConversation } from "../splice/index.ts";
import { readEach } from "../splice/read-once.ts";
import { contentItems } from "./read-message.ts";

/** What a request says besides its conversation: model, limits, system prompt, tools, session and cache lifetime. */
export function describeRequest(conversation: WireConversation, operation: WireOperation): DescribedRequest {
  const { fields } = conversation;
  return {
    ...(operation === "generate" && isRecord(fields.compaction) && { operation: "compact" as const }),
    modelId: asText(fields.model) ?? "",
    isStreaming: fields.stream === true,
    maxOutputTokens: asNumber(fields.max_tokens),
    leastOutputTokens: (asNumber(fieldAt(fields, "thinking", "budget_tokens")) ?? 0) + 1,
    systemPrompt: systemText(conversation),
    tools: asArray(fields.tools),
    onlyTool: onlyToolOf(fields),
    agentSession: agentSessionOf(fields),
    cacheTtlMs: cacheLifetimeMs(conversation),
  };
}

function onlyToolOf(fields: JsonRecord): OnlyTool | undefined {
  const [tool, ...others] = asArray(fields.tools);
  const name = asName(fieldAt(tool, "name"));
  const choice = fieldAt(fields, "tool_choice", "type");
  return name === undefined || others.length > 0
    ? undefined
    : { name, isForced: choice === "any" || choice === "tool" };
}

function systemText({ fields: { system }, items, headCount }: WireConversation): string {
  const blocks = [
    ...(typeof system === "string" ? [{ text: system }] : asArray(system)),
    ...items.slice(0, headCount).flatMap(contentItems),
  ];
  return blocks.map((block) => asText(fieldAt(block, "text")) ?? "").join("\n\n");
}

const SESSION = "_session_";

/**
 * The id of the agent's session in `metadata.user_id`, which Claude Code writes as JSON or as `user_…_account_…_session_ID`. Undefined for any
 * other id: it names a person, who may have many sessions.
 */
function agentSessionOf(fields: JsonRecord): string | undefined {
  const userId = asText(fieldAt(fields, "metadata", "user_id"));
  if (userId === undefined) return undefined;
  if (userId.trimStart().startsWith("{")) return asName(fieldAt(tryParseJson(userId), "session_id"));
  const hasAccount = userId.startsWith("user_") && userId.includes("_account_");
  const at = userId.lastIndexOf(SESSION);
  return hasAccount && at >= 0 ? asName(userId.slice(at + SESSION.length)) : undefined;
}

/** The lifetime of a mark that names none. */
const DEFAULT_LIFETIME_MS = 5 * 60_000;

interface Mark {
  readonly lifetimeMs: number | undefined;
}

/** How long the conversation stays cached: by the newest mark on a message, or else the mark of the whole request; undefined without a mark. */
function cacheLifetimeMs({ fields, items }: Pick<ItemList, "fields" | "items">): number | undefined {
  const mark = readMarks(items).findLast((itemMark) => itemMark !== undefined) ?? markOf(fields);
  return mark?.lifetimeMs;
}

/** The last mark of each message. */
const readMarks = readEach((item: unknown): Mark | undefined => {
  const marks = asArray(fieldAt(item, "content")).map(markOf);
  return marks.findLast((mark) => mark !== undefined);
});

function markOf(block: unknown): Mark | undefined {
  const mark = asRecord(fieldAt(block, "cache_control"));
  if (mark === undefined) return undefined;
  return { lifetimeMs: mark.ttl === undefined ? DEFAULT_LIFETIME_MS : durationMs(mark.ttl) };
}
