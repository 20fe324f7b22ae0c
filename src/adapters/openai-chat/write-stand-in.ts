import { asArray, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import { type Block, isKnownBlock, type Message, type ToolUseBlock } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { writeOpenAiMessages } from "../../core/transcript/write-openai-messages.ts";
import type { Grouping, StandInContext, WireConversation } from "../splice/index.ts";
import { readCall } from "./read-item.ts";

/** The items of a summary or a marker: one text, and the calls that it carries with the bytes of the request. */
export function writeStandIn(standIn: Message, { conversation, isFirst }: StandInContext<Grouping>): readonly string[] {
  const { role, content } = renderMessage(standIn);
  const originals = contentBlocks(standIn.content);
  const blocks = contentBlocks(content).map((block, index) => asReasoning(originals[index], block));
  const text = typeof content === "string" ? content : blocks.flatMap(textsOf).join("\n\n");
  const calls = blocks.filter(isToolUse);
  if (blocks.some(isToolResult)) return writeOpenAiMessages([{ role, content: blocks }]).map((item) => serialize(item));
  // Servers that check the order of turns refuse a conversation that the assistant begins.
  if (role === "user" || (isFirst && calls.length === 0)) return [serialize({ role: "user", content: text })];
  const withReasoning = takesReasoning(conversation);
  const reasoning = blocks.flatMap((block) => reasoningOf(block, withReasoning));
  const words = calls.length + reasoning.length === 0 ? text : [...reasoning, { type: "text", text }, ...calls];
  const restoreCalls = carriedCalls(originals.filter(isToolUse), conversation);
  return writeOpenAiMessages([{ role, content: words }]).map((item) =>
    serialize(
      calls.length === 0
        ? item
        : { ...(withReasoning && NO_REASONING), ...item, tool_calls: restoreCalls(item.tool_calls) },
    ),
  );
}

const NO_REASONING = { reasoning_content: "" };

/** Whatever stands for reasoning is nothing that was said. */
function asReasoning(original: Block | undefined, shown: Block): Block {
  const text = "text" in shown ? shown.text : "";
  return original?.type === "reasoning" && shown.type === "text" ? { type: "reasoning", text } : shown;
}

/** Whether the client sends `reasoning_content`: some servers demand it beside calls, others refuse the field, and the client knows its server. */
function takesReasoning({ items }: WireConversation): boolean {
  return items.some((item) => typeof fieldAt(item, "reasoning_content") === "string");
}

/** The reasoning to write of a block: its text only if the server takes it; sealed details always, as their calls need them. */
function reasoningOf(block: Block, withReasoning: boolean): readonly Block[] {
  if (!isKnownBlock(block) || block.type !== "reasoning") return [];
  if (withReasoning) return [block];
  return "reasoning_details" in block ? [{ ...block, text: "" }] : [];
}

/**
 * Returns a function that restores written calls to those of the request: with signatures and unknown fields, and with the exact text of
 * arguments that are not clipped.
 */
function carriedCalls(
  blocks: readonly ToolUseBlock[],
  { items }: WireConversation,
): (written: unknown) => readonly unknown[] {
  const ids = new Set<unknown>(blocks.map(({ id }) => id));
  const calls = new Map<string, JsonRecord>();
  for (const call of items.flatMap((item) => asArray(fieldAt(item, "tool_calls")))) {
    if (isRecord(call) && ids.has(call.id)) calls.set(keyOf(readCall(call)), call);
  }
  const originals = blocks.map((block) => calls.get(keyOf(block)));
  return (written) => asArray(written).map((call, index) => mergeCall(originals[index], call));
}

function mergeCall(original: JsonRecord | undefined, written: unknown): unknown {
  if (original === undefined || !isRecord(written)) return written;
  const input = fieldAt(written, "function", "arguments");
  if (isRecord(original.custom)) return { ...original, custom: { ...original.custom, input } };
  const isWhole = serialize(readCall(original).input) === serialize(readCall(written).input);
  return isWhole || !isRecord(original.function) ? original : { ...original, function: written.function };
}

/** A key for a call. Its id alone is not enough, as some servers use an id again in a later turn. */
function keyOf({ id, name, input }: ToolUseBlock): string {
  return serialize([id, name, input]);
}

function textsOf(block: Block): readonly string[] {
  return isKnownBlock(block) && block.type === "text" ? [block.text] : [];
}
