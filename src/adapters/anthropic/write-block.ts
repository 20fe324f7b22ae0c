import type { JsonRecord } from "../../core/json/read-json.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { writeAnthropicThinking } from "../../core/transcript/anthropic-messages.ts";

/** A summary or a marker as an item of `messages`; none where nothing of it can be said on this wire. */
export function writeStandIn(message: Message): readonly string[] {
  // A long summary may be clipped itself.
  const { role, content } = renderMessage(message);
  if (typeof content === "string") return [JSON.stringify({ role, content })];
  const blocks = content.flatMap((block) => writeBlock(block) ?? []);
  return blocks.length === 0 ? [] : [JSON.stringify({ role, content: blocks })];
}

/**
 * A block of ours as this wire has it, without a mark for caches: clients move theirs from request to request, and a stand-in
 * is older. Undefined for reasoning that nobody signed: it would be refused.
 */
export function writeBlock(block: Block): JsonRecord | undefined {
  const { cache_control: _, ...fields }: JsonRecord = { ...block };
  if (block.type === "reasoning") return writeAnthropicThinking({ ...fields, type: "reasoning" });
  if (block.type !== "tool_result" || !Array.isArray(fields.content)) return fields;
  return { ...fields, content: fields.content.flatMap((item: Block) => writeBlock(item) ?? []) };
}
