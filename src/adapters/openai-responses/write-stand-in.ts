import { asRecord, fieldAt } from "../../core/json/read-json.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import {
  type Block,
  isKnownBlock,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from "../../core/message/message.ts";
import { allBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import type { WirePart } from "../../core/ports/wire-adapter.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { applyEdits, type WireConversation, type Writing } from "../splice/index.ts";
import { editBlock } from "./edit-block.ts";
import type { ResponsesReading } from "./group-items.ts";
import { typeOf } from "./read-item.ts";
import { writeMessage, writePart } from "./write-blocks.ts";

type ResponsesConversation = WireConversation<ResponsesReading>;

/**
 * The items of a summary or a marker: results, then its text, then the calls that it carries, right before their outputs. A call of the request
 * keeps its bytes, and comes with the reasoning that led to it. Reasoning that we wrote has no seal, and is left out.
 */
export function writeStandIn(message: Message, writing: Writing<ResponsesReading>): readonly string[] {
  const { role } = message;
  const blocks = shownBlocks(message);
  const parts = blocks.filter(isSaid).map((block) => writePart(block, role));
  const text = parts.length === 0 ? [] : [writeMessage(role, parts)];
  const calls = writeCalls(blocks.filter(isToolUse), writing);
  const results = blocks.filter(isToolResult).map((block) => writeResult(block, writing.conversation));
  return [...results, ...text, ...calls];
}

/** Writes a result that the request does not hold: the agent no longer sends it, or it is made up for a call without one. */
function writeResult(
  { tool_use_id: call_id, content = "", ...rest }: ToolResultBlock,
  { items }: ResponsesConversation,
): string {
  const isCustom =
    ("item_type" in rest && rest.item_type === "custom_tool_call_output") ||
    items.some((item) => fieldAt(item, "type") === "custom_tool_call" && fieldAt(item, "call_id") === call_id);
  const output = typeof content === "string" ? content : content.map((block) => writePart(block, "user"));
  return JSON.stringify({ type: isCustom ? "custom_tool_call_output" : "function_call_output", call_id, output });
}

/** The indexes of the items that stand-ins carry, and of the standing items. */
export function copiedItems(parts: readonly WirePart[], conversation: ResponsesConversation): readonly number[] {
  const calls = parts.flatMap((part) => (part.type === "stand-in" ? shownBlocks(part.message).filter(isToolUse) : []));
  const carried = calls.flatMap((call) => {
    const index = callIndex(call, conversation);
    return index < 0 ? [] : [...ledBy(index, conversation), index];
  });
  return [...carried, ...conversation.groups.flatMap(({ standing }) => standing)];
}

function shownBlocks(message: Message): readonly Block[] {
  return allBlocks(renderMessage(message).content);
}

function isSaid(block: Block): boolean {
  return isKnownBlock(block) && (block.type === "text" || block.type === "image");
}

function writeCalls(calls: readonly ToolUseBlock[], writing: Writing<ResponsesReading>): readonly string[] {
  const { conversation, slices } = writing;
  const carried = new Map<number, string>();
  const missing: string[] = [];
  for (const call of calls) {
    const index = callIndex(call, conversation);
    if (index < 0) {
      missing.push(writeCall(call));
      continue;
    }
    for (const item of ledBy(index, conversation)) carried.set(item, slices.itemText(item));
    carried.set(index, writeCarried(call, index, writing));
  }
  const kept = [...carried].toSorted(([one], [other]) => one - other).map(([, text]) => text);
  return [...kept, ...missing];
}

/** The newest call of this id; -1 where the request has none. */
function callIndex({ id }: ToolUseBlock, { read }: ResponsesConversation): number {
  return read.findLastIndex((item) => item.type === "reply" && item.callId === id);
}

/** The text of a call that a stand-in carries, edited if the stand-in shows it clipped. */
function writeCarried(call: ToolUseBlock, index: number, { conversation, slices }: Writing<ResponsesReading>): string {
  const read = conversation.read[index];
  const [original] = read?.type === "reply" ? read.blocks.filter(({ block }) => isToolUse(block)) : [];
  const item = slices.items[index];
  if (item === undefined || original === undefined || !isToolUse(original.block)) return slices.itemText(index);
  const isSame = serialize(original.block.input) === serialize(call.input);
  const edits = isSame ? [] : editBlock(original, call, { slices, item, role: "assistant" });
  return applyEdits(slices.body, item, edits);
}

/**
 * The indexes of the reasoning that led to a call, and of the texts between that reasoning and the call. A provider that keeps items refuses
 * reasoning without the item right after it, and a call without its reasoning. Other calls in between are not included.
 */
function ledBy(callIndex: number, conversation: ResponsesConversation): readonly number[] {
  const group = conversation.groups.find(({ items }) => items.includes(callIndex));
  const before = (group?.items ?? []).filter((index) => index < callIndex);
  const isReasoning = (index: number) => itemTypeAt(conversation, index) === "reasoning";
  const last = before.findLastIndex(isReasoning);
  const first = before.findLastIndex((index, position) => position < last && !isReasoning(index)) + 1;
  return last < 0 ? [] : before.slice(first).filter((index) => isReasoning(index) || isReplyText(conversation, index));
}

function isReplyText(conversation: ResponsesConversation, index: number): boolean {
  return conversation.read[index]?.type === "reply" && itemTypeAt(conversation, index) === "message";
}

function itemTypeAt({ items }: ResponsesConversation, index: number): string {
  const item = asRecord(items[index]);
  return item === undefined ? "" : typeOf(item);
}

/** Writes a call that the request does not hold, without the item ids by which the provider would look for its reasoning. */
function writeCall(call: ToolUseBlock): string {
  const { id: call_id, name, input } = call;
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const isCustom = "item_type" in call && call.item_type === "custom_tool_call";
  return JSON.stringify(
    isCustom
      ? { type: "custom_tool_call", call_id, name, input: text }
      : { type: "function_call", call_id, name, arguments: text },
  );
}
