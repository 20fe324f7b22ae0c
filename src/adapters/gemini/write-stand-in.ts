import type { JsonRecord } from "../../core/json/read-json.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import type { Block, Message, ToolUseBlock } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import type { WirePart } from "../../core/ports/wire-adapter.ts";
import { applyEdits, type Conversation, type ItemGroup, type Writing } from "../splice/index.ts";
import { contentText, foldPart, partAt, placeBlocks } from "./edit-block.ts";
import { isForeignReasoning, writePart, writeResult } from "./write-part.ts";

/** A summary or a marker as a content. A call that it carries is the same bytes as in its own turn, its signature included. */
export function writeStandIn(message: Message, writing: Writing): readonly string[] {
  const parts = shownBlocks(message)
    .filter((block) => !isForeignReasoning(block))
    .map(
      (block) => (isToolUse(block) ? copyCall(block, writing) : undefined) ?? JSON.stringify(partOf(block, writing)),
    );
  return [contentText(message.role, parts)];
}

function partOf(block: Block, { conversation: { groups } }: Writing): JsonRecord {
  if (!isToolResult(block)) return writePart(block);
  const calls = groups.flatMap(({ message }) => contentBlocks(message.content).filter(isToolUse));
  const call = calls.findLast(({ id }) => id === block.tool_use_id);
  return call === undefined ? writePart(block) : writeResult(block, call.name);
}

/** The contents of the calls that stand-ins carry. */
export function copiedItems(parts: readonly WirePart[], conversation: Conversation): readonly number[] {
  const calls = parts.flatMap((part) => (part.type === "stand-in" ? shownBlocks(part.message).filter(isToolUse) : []));
  return calls.flatMap((call) => turnOf(call, conversation)?.items ?? []);
}

function shownBlocks(message: Message): readonly Block[] {
  const { content } = renderMessage(message);
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function isCall(block: Block, { id, name }: ToolUseBlock): boolean {
  return isToolUse(block) && block.id === id && block.name === name;
}

function turnOf(call: ToolUseBlock, { groups }: Conversation): ItemGroup | undefined {
  return groups.find(({ message }) => contentBlocks(message.content).some((block) => isCall(block, call)));
}

/** Undefined where the request has no such call. */
function copyCall(call: ToolUseBlock, { conversation, slices }: Writing): string | undefined {
  const turn = turnOf(call, conversation);
  const placed = turn && placeBlocks(turn, conversation).find(({ block }) => isCall(block, call));
  if (placed?.place.type !== "part") return undefined;
  const part = partAt(slices, slices.items[placed.item], placed.place.index);
  return part && applyEdits(slices.body, part, foldPart({ slices, part, block: placed.block }, call));
}
