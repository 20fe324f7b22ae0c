import { isJsonObject, itemsOf, type JsonObject } from "../json.ts";
import { blocksOf } from "./validate-blocks.ts";

export interface EditedMessages {
  readonly messages: readonly JsonObject[];
  /** What a reply says of it, but for the tokens; undefined where nothing was cleared. */
  readonly applied: JsonObject | undefined;
}

const DEFAULT_TRIGGER_TOKENS = 100_000;
const DEFAULT_KEPT_USES = 3;
const DEFAULT_KEPT_THINKING_TURNS = 1;
const CLEARED = "[Old tool result content cleared]";

/** Clears the oldest tool results but for the newest ones, once the prompt has grown enough. */
export function clearToolUses(messages: readonly JsonObject[], edit: JsonObject, tokens: number): EditedMessages {
  const calls = messages.flatMap((message) => blocksOf(message).filter(({ type }) => type === "tool_use"));
  const { trigger, keep } = edit;
  const isByUses = isJsonObject(trigger) && trigger.type === "tool_uses";
  const reached = isByUses ? calls.length : tokens;
  if (reached < amountOf(trigger, DEFAULT_TRIGGER_TOKENS)) return { messages, applied: undefined };
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
export function clearThinking(messages: readonly JsonObject[], { type, keep }: JsonObject): EditedMessages {
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
