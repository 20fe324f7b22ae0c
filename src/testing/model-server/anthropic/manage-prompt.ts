import { createHash } from "node:crypto";
import { isJsonObject, itemsOf, type JsonObject, objectsOf, stringOf } from "../json.ts";
import { countPromptTokens, promptBlocks } from "../prompt.ts";
import type { Compaction, ManagedPrompt, WireRequest } from "../wire-protocol.ts";
import { isEffective } from "./compaction-block.ts";
import { blocksOf } from "./validate-blocks.ts";

const DEFAULT_TRIGGER_TOKENS = 150_000;

/** The prompt after the edits that the request asks for: in the order of the request, a compaction last. */
export function managePrompt({ body, operation }: Pick<WireRequest, "body" | "operation">): ManagedPrompt {
  const isList = Array.isArray(body.messages);
  let current: JsonObject = isList ? { ...body, messages: afterCompaction(objectsOf(body.messages)) } : body;
  const appliedEdits: JsonObject[] = [];
  const edits = isJsonObject(body.context_management) ? objectsOf(body.context_management.edits) : [];
  for (const edit of edits) {
    const { messages, applied } = editMessages(edit, current);
    if (applied === undefined) continue;
    const edited = { ...current, messages };
    const cleared = tokensOf(current) - tokensOf(edited);
    if (isJsonObject(edit.clear_at_least) && cleared < Number(edit.clear_at_least.value)) continue;
    current = edited;
    appliedEdits.push({ ...applied, cleared_input_tokens: cleared });
  }
  const compaction = operation === "generate" ? compactionFor(body, current, edits) : undefined;
  return { body: current, appliedEdits, compaction };
}

function editMessages(edit: JsonObject, body: JsonObject): EditedMessages {
  const messages = objectsOf(body.messages);
  switch (edit.type) {
    case "clear_tool_uses_20250919":
      return clearToolUses(messages, edit, tokensOf(body));
    case "clear_thinking_20251015":
      return clearThinking(messages, edit);
    default:
      return { messages, applied: undefined };
  }
}

function tokensOf(body: JsonObject): number {
  return countPromptTokens(promptBlocks(body));
}

/** The messages from the newest summary on: the model does not read those before it. */
function afterCompaction(messages: readonly JsonObject[]): readonly JsonObject[] {
  const last = messages.findLastIndex((message) => blocksOf(message).some(isEffective));
  const message = messages[last];
  if (message === undefined) return messages;
  const blocks = blocksOf(message);
  const content = blocks.slice(blocks.findLastIndex(isEffective));
  return [{ ...message, content }, ...messages.slice(last + 1)];
}

function compactionFor(body: JsonObject, current: JsonObject, edits: readonly JsonObject[]): Compaction | undefined {
  const messages = objectsOf(current.messages);
  const summary = summaryOf(messages);
  if (isJsonObject(body.compaction)) return { summary: following(body.compaction, summary), body: undefined };
  const edit = edits.find(({ type }) => type === "compact_20260112");
  if (edit === undefined || tokensOf(current) < triggerOf(edit)) return undefined;
  const compacted = {
    ...current,
    messages: [{ role: "assistant", content: [{ type: "compaction", content: summary }] }],
  };
  return { summary, body: edit.pause_after_compaction === true ? undefined : compacted };
}

/** The summary, followed by the instructions for it if there are any, so that tests can see that they were read. */
function following({ instructions }: JsonObject, summary: string): string {
  return typeof instructions === "string" ? `${summary} ${instructions}` : summary;
}

function triggerOf({ trigger }: JsonObject): number {
  return isJsonObject(trigger) ? Number(trigger.value) : DEFAULT_TRIGGER_TOKENS;
}

/** A deterministic summary of a conversation, which quotes only its beginning. */
function summaryOf(messages: readonly JsonObject[]): string {
  const digest = createHash("sha256").update(JSON.stringify(messages)).digest("hex").slice(0, 16);
  const [first] = messages.flatMap((message) => blocksOf(message).flatMap(({ text }) => stringOf(text) || []));
  return `Summary ${digest} of ${messages.length} messages. They began with: ${(first ?? "").slice(0, 200)}`;
}

interface EditedMessages {
  readonly messages: readonly JsonObject[];
  /** The reply's entry about the edit, without the tokens; undefined where nothing was cleared. */
  readonly applied: JsonObject | undefined;
}

const DEFAULT_CLEAR_TRIGGER_TOKENS = 100_000;
const DEFAULT_KEPT_USES = 3;
const DEFAULT_KEPT_THINKING_TURNS = 1;
const CLEARED = "[Old tool result content cleared]";

/** Clears the oldest tool results but for the newest ones, once the prompt has grown enough. */
function clearToolUses(messages: readonly JsonObject[], edit: JsonObject, tokens: number): EditedMessages {
  const calls = messages.flatMap((message) => blocksOf(message).filter(({ type }) => type === "tool_use"));
  const { trigger, keep } = edit;
  const isByUses = isJsonObject(trigger) && trigger.type === "tool_uses";
  const reached = isByUses ? calls.length : tokens;
  if (reached < amountOf(trigger, DEFAULT_CLEAR_TRIGGER_TOKENS)) return { messages, applied: undefined };
  const excluded = new Set(itemsOf(edit.exclude_tools));
  const old = calls.slice(0, Math.max(0, calls.length - amountOf(keep, DEFAULT_KEPT_USES)));
  const cleared = new Set(old.filter(({ name }) => !excluded.has(name)).map(({ id }) => id));
  if (cleared.size === 0) return { messages, applied: undefined };
  return {
    messages: messages.map((message) => clearIn(message, cleared, edit.clear_tool_inputs === true)),
    applied: { type: edit.type, cleared_tool_uses: cleared.size },
  };
}

function clearIn(message: JsonObject, ids: ReadonlySet<unknown>, clearsInputs: boolean): JsonObject {
  if (typeof message.content === "string") return message;
  const content = blocksOf(message).map((block) => {
    if (block.type === "tool_result" && ids.has(block.tool_use_id)) return { ...block, content: CLEARED };
    return clearsInputs && block.type === "tool_use" && ids.has(block.id) ? { ...block, input: {} } : block;
  });
  return { ...message, content };
}

/** Clears the thinking of all but the newest turns of the assistant. */
function clearThinking(messages: readonly JsonObject[], { type, keep }: JsonObject): EditedMessages {
  if (keep === "all" || (isJsonObject(keep) && keep.type === "all")) return { messages, applied: undefined };
  const thinking = messages.flatMap((message, index) => (blocksOf(message).some(isThinking) ? [index] : []));
  const old = new Set(thinking.slice(0, Math.max(0, thinking.length - amountOf(keep, DEFAULT_KEPT_THINKING_TURNS))));
  if (old.size === 0) return { messages, applied: undefined };
  return {
    messages: messages.map((message, index) =>
      old.has(index) ? { ...message, content: blocksOf(message).filter((block) => !isThinking(block)) } : message,
    ),
    applied: { type, cleared_thinking_turns: old.size },
  };
}

function isThinking({ type }: JsonObject): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function amountOf(amount: unknown, usual: number): number {
  return isJsonObject(amount) && typeof amount.value === "number" ? amount.value : usual;
}
