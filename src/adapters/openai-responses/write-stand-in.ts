import { renderMessage } from "../../core/message/effective-view.ts";
import { type Block, isKnownBlock, type Message, type ToolUseBlock } from "../../core/message/message.ts";
import { isToolUse } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { asRecord } from "../../core/transcript/read-json.ts";
import { foldItem } from "./fold-item.ts";
import { itemText, type Layout, type PlacedLayout } from "./layout.ts";
import { typeOf } from "./read-item.ts";
import { writeMessage, writePart } from "./write-blocks.ts";

/**
 * The items of a summary or a marker: what it says, then the calls that it carries, right before their outputs. A call of the
 * request is the same bytes, and comes with the reasoning that led to it; our own reasoning has no seal, and is left out.
 */
export function writeStandIn(message: Message, layout: PlacedLayout): readonly string[] {
  const { role, content } = renderMessage(message);
  const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const parts = blocks.filter(isSaid).map((block) => writePart(block, role));
  return [...(parts.length === 0 ? [] : [writeMessage(role, parts)]), ...writeCalls(blocks.filter(isToolUse), layout)];
}

function isSaid(block: Block): boolean {
  return isKnownBlock(block) && (block.type === "text" || block.type === "image");
}

function writeCalls(calls: readonly ToolUseBlock[], layout: PlacedLayout): readonly string[] {
  const carried = new Map<number, string>();
  const missing: string[] = [];
  for (const call of calls) {
    const index = layout.read.findLastIndex((item) => item.type === "reply" && item.callId === call.id);
    if (index < 0) {
      missing.push(writeCall(call));
      continue;
    }
    for (const item of ledBy(index, layout)) carried.set(item, itemText(layout, item));
    carried.set(index, writeCarried(call, index, layout));
  }
  const kept = [...carried].toSorted(([one], [other]) => one - other).map(([, text]) => text);
  return [...kept, ...missing];
}

/** A call may have been clipped before it was carried, or since. */
function writeCarried(call: ToolUseBlock, index: number, layout: PlacedLayout): string {
  const text = itemText(layout, index);
  const item = layout.read[index];
  const [original] = item?.type === "reply" ? item.blocks.filter(({ block }) => isToolUse(block)) : [];
  if (original === undefined || !isToolUse(original.block)) return text;
  const isSame = serialize(original.block.input) === serialize(call.input);
  return isSame ? text : foldItem(text, [{ ...original, standIn: call }], "assistant");
}

/**
 * All from the reasoning that led to a call up to it: providers that keep items refuse reasoning without what came right after
 * it, and a call without its reasoning. Other calls are carried for themselves or not at all.
 */
function ledBy(callIndex: number, layout: Layout): readonly number[] {
  const group = layout.groups.find(({ items }) => items.includes(callIndex));
  const before = (group?.items ?? []).filter((index) => index < callIndex);
  const isReasoning = (index: number) => itemTypeAt(layout, index) === "reasoning";
  const last = before.findLastIndex(isReasoning);
  const first = before.findLastIndex((index, position) => position < last && !isReasoning(index)) + 1;
  return last < 0 ? [] : before.slice(first).filter((index) => isReasoning(index) || isReplyText(layout, index));
}

function isReplyText(layout: Layout, index: number): boolean {
  return layout.read[index]?.type === "reply" && itemTypeAt(layout, index) === "message";
}

function itemTypeAt({ items }: Layout, index: number): string {
  const item = asRecord(items[index]);
  return item === undefined ? "" : typeOf(item);
}

/** A call that the request does not hold; without the ids that would ask for its reasoning. */
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
