import { asArray, asName, asText, fieldAt } from "../../core/json/read-json.ts";
import {
  type Block,
  isKnownBlock,
  type ReasoningBlock,
  type TextBlock,
  type ToolUseBlock,
} from "../../core/message/message.ts";
import { isToolUse } from "../../core/message/tool-pairs.ts";
import { EMPTY_REPLY } from "../shared/end-of-reply.ts";
import { arrangeReply, type ReplyItem } from "./arrange-reply.ts";
import { writeCarried } from "./carried-items.ts";
import type { NativePair } from "./native-calls.ts";
import type { OpenAiPhase, OpenAiReasoningItem, OpenAiResponsesItem } from "./types.ts";
import { statusOf, writeCall } from "./write-call.ts";
import { writeOutputPart } from "./write-parts.ts";

export interface ReplyContext {
  /** Whether the API stored its replies, and takes items by their ids alone. */
  readonly isStored: boolean;
  /** The ids of the items that were written already: the API refuses an id twice. */
  readonly usedIds: Set<string>;
  /** The calls of built-in tools that can be sent back as they came, by their ids. */
  readonly nativePairs: ReadonlyMap<string, NativePair>;
  /** The ids of those calls that were written as they came. */
  readonly nativeIds: Set<string>;
}

/**
 * Writes an assistant's message as items. An item keeps its id only if the item before it is the one that the API sent before it: the API refuses
 * an item with an id without the reasoning that led to it, and reasoning without the item that it led to. Without ids it takes all items.
 */
export function writeReply(blocks: readonly Block[], context: ReplyContext): readonly OpenAiResponsesItem[] {
  const { usedIds } = context;
  const items: OpenAiResponsesItem[] = [];
  let previous: { readonly id: string; readonly isReasoning: boolean } | undefined;
  const named = blocks.map((block) => withoutForeignId(block, context));
  for (const item of arrangeReply(named)) {
    const isReasoning = item.type === "reasoning";
    const isFirst = item.follows === null && (isReasoning || previous?.isReasoning !== true);
    const isNext = item.follows !== undefined && item.follows === previous?.id;
    const id = (isFirst || isNext) && item.id !== undefined && !usedIds.has(item.id) ? item.id : undefined;
    const written = writeItem(item, id, context);
    items.push(...written);
    if (id !== undefined) usedIds.add(id);
    if (id !== undefined) previous = { id, isReasoning };
    else if (written.length > 0 && previous !== undefined) previous = { ...previous, isReasoning: false };
  }
  const isOpenEnded = previous?.isReasoning === true;
  const kept = isOpenEnded ? items.slice(0, items.findLastIndex((item) => !isReasoningItem(item)) + 1) : items;
  return kept.length === 0 ? [{ role: "assistant", content: thoughtsOf(blocks) }] : kept;
}

/** Removes the item id of a built-in tool's call that is written as a function's: the API refuses it there. */
function withoutForeignId(block: Block, { nativePairs }: ReplyContext): Block {
  const itemType = isToolUse(block) ? fieldAt(block, "item_type") : undefined;
  const isOwn = itemType === undefined || itemType === "custom_tool_call";
  return isOwn || (isToolUse(block) && nativePairs.has(block.id)) ? block : { ...block, item_id: undefined };
}

function isReasoningItem(item: OpenAiResponsesItem): boolean {
  return "type" in item && item.type === "reasoning";
}

function writeItem(
  { blocks }: ReplyItem,
  id: string | undefined,
  context: ReplyContext,
): readonly OpenAiResponsesItem[] {
  const [first] = blocks;
  const texts = blocks.filter(isText);
  if (first === undefined) return [];
  if (texts.length > 0) return writeTexts(texts, id);
  if (isKnownBlock(first)) {
    if (first.type === "tool_use") return [writeToolCall(first, id, context)];
    return first.type === "reasoning" && id !== undefined ? [writeReasoning(first, id)] : [];
  }
  const carried = id === undefined ? undefined : writeCarried(first, context.isStored);
  return carried === undefined ? [] : [carried];
}

function writeToolCall(
  block: ToolUseBlock,
  id: string | undefined,
  { nativePairs, nativeIds }: ReplyContext,
): OpenAiResponsesItem {
  const native = nativePairs.get(block.id);
  if (native === undefined) return writeCall(block, id);
  if (id === undefined) return writeCall(block, undefined);
  nativeIds.add(block.id);
  return native.call;
}

function writeTexts(texts: readonly TextBlock[], id: string | undefined): readonly OpenAiResponsesItem[] {
  const [first] = texts;
  if (id === undefined || first === undefined) {
    return texts.map((block) => ({ role: "assistant", content: block.text, ...phaseOf(block) }));
  }
  const { status = "completed" } = statusOf(first);
  const content = texts.map(writeOutputPart);
  return [{ type: "message", id, role: "assistant", status, content, ...phaseOf(first) }];
}

function writeReasoning(block: ReasoningBlock, id: string): OpenAiReasoningItem {
  const encrypted_content = asName(fieldAt(block, "encrypted_content"));
  const content = fieldAt(block, "content");
  return {
    type: "reasoning",
    id,
    summary: textsOf(fieldAt(block, "summary")).map((text) => ({ type: "summary_text", text })),
    ...(Array.isArray(content) && {
      content: textsOf(content).map((text) => ({ type: "reasoning_text" as const, text })),
    }),
    ...(encrypted_content !== undefined && { encrypted_content }),
  };
}

function textsOf(parts: unknown): readonly string[] {
  return asArray(parts).flatMap((part) => asText(fieldAt(part, "text")) ?? []);
}

function phaseOf(block: Block): { phase?: OpenAiPhase } {
  const phase = fieldAt(block, "phase");
  return phase === "commentary" || phase === "final_answer" ? { phase } : {};
}

/** The text of a reply that holds nothing but reasoning, which must not be empty. */
function thoughtsOf(blocks: readonly Block[]): string {
  const texts = blocks.flatMap((block) => (block.type === "reasoning" ? (asName(fieldAt(block, "text")) ?? []) : []));
  return texts.join("\n\n") || EMPTY_REPLY;
}

function isText(block: Block): block is TextBlock {
  return isKnownBlock(block) && block.type === "text";
}
