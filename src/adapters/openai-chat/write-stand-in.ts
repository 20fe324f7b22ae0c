import { asArray, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import { type Block, isKnownBlock, type Message, type ToolUseBlock } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { writeOpenAiMessages } from "../../core/transcript/write-openai-messages.ts";
import type { Conversation, Grouping, StandInContext } from "../splice/index.ts";
import { readCall } from "./read-item.ts";

/** The items of a summary or a marker: one text, with the calls that it carries as they were made. */
export function writeStandIn(standIn: Message, { conversation, isFirst }: StandInContext<Grouping>): readonly string[] {
  const { role, content } = renderMessage(standIn);
  const originals = contentBlocks(standIn.content);
  const blocks = contentBlocks(content).map((block, index) => asReasoning(originals[index], block));
  const text = typeof content === "string" ? content : blocks.flatMap(textsOf).join("\n\n");
  const calls = blocks.filter(isToolUse);
  // Servers that keep to the order of turns take none that the assistant begins.
  if (blocks.some(isToolResult)) return writeOpenAiMessages([{ role, content: blocks }]).map((item) => serialize(item));
  if (role === "user" || (isFirst && calls.length === 0)) return [serialize({ role: "user", content: text })];
  const takes = takesReasoning(conversation);
  const reasoning = blocks.flatMap((block) => reasoningOf(block, takes));
  const words = calls.length + reasoning.length === 0 ? text : [...reasoning, { type: "text", text }, ...calls];
  const carried = carriedCalls(originals.filter(isToolUse), conversation);
  return writeOpenAiMessages([{ role, content: words }]).map((item) =>
    serialize(
      calls.length === 0 ? item : { ...(takes && NO_REASONING), ...item, tool_calls: carried(item.tool_calls) },
    ),
  );
}

const NO_REASONING = { reasoning_content: "" };

/** Whatever stands for reasoning is nothing that was said. */
function asReasoning(original: Block | undefined, shown: Block): Block {
  const text = "text" in shown ? shown.text : "";
  return original?.type === "reasoning" && shown.type === "text" ? { type: "reasoning", text } : shown;
}

/** Some servers demand reasoning beside calls, others refuse a field that is not theirs: the client knows which. */
function takesReasoning({ items }: Conversation): boolean {
  return items.some((item) => typeof fieldAt(item, "reasoning_content") === "string");
}

/** Sealed details go back with their calls wherever they came from. */
function reasoningOf(block: Block, isTaken: boolean): readonly Block[] {
  if (!isKnownBlock(block) || block.type !== "reasoning") return [];
  if (isTaken) return [block];
  return "reasoning_details" in block ? [{ ...block, text: "" }] : [];
}

/** Calls with all that they came with, such as signatures, and unless they are clipped with their arguments to the letter. */
function carriedCalls(
  blocks: readonly ToolUseBlock[],
  { items }: Conversation,
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

/** Some servers use an id again in a later turn. */
function keyOf({ id, name, input }: ToolUseBlock): string {
  return serialize([id, name, input]);
}

function textsOf(block: Block): readonly string[] {
  return isKnownBlock(block) && block.type === "text" ? [block.text] : [];
}
