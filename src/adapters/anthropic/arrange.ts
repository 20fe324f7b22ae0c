import { sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import { parseJson } from "../../core/json/parse-json.ts";
import { asArray, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import { isCompactionBlock } from "../../core/message/compaction-block.ts";
import type { Message } from "../../core/message/message.ts";
import type { WirePart } from "../../core/ports/wire-adapter.ts";
import type { ItemGroup, Piece, SentMessage, Writing } from "../splice/index.ts";

/**
 * The items of the messages. Where folding made messages neighbours that the API refuses side by side, a short turn of ours is put between
 * them; where it demands thinking at the start of a tool loop, the assistant's item gets a copy of earlier thinking.
 */
export function arrange(messages: readonly SentMessage[], writing: Writing): readonly Piece[] {
  const pieces: Piece[] = [];
  const hasBudget = hasThinkingBudget(writing.conversation.fields);
  let last: SentMessage | undefined;
  for (const [position, sent] of messages.entries()) {
    const [turn, ...attached] = sent.pieces;
    if (turn === undefined) continue;
    const { role } = sent.message;
    const isCompacted = startsCompacted(sent);
    const bridge = sent.isInPlace || isCompacted ? undefined : bridgeTo(role, last);
    if (bridge !== undefined) pieces.push(bridge);
    const isChanged = !sent.isInPlace || sent.part.type !== "original";
    const mayLackThinking = hasBudget && isChanged && !isCompacted && role === "assistant" && startsLoop(last, writing);
    pieces.push(mayLackThinking ? lendThinking(turn, endOfPart(messages, position), writing) : turn, ...attached);
    last = sent;
  }
  return pieces;
}

/** Whether a message begins with the provider's own compaction: it may begin the conversation, and nothing may stand before it. */
function startsCompacted({ message: { content } }: SentMessage): boolean {
  const [first] = typeof content === "string" ? [] : content;
  return first !== undefined && isCompactionBlock(first);
}

/** A turn of ours before a turn that the API would refuse: the user must speak first, and the assistant after a system message. */
function bridgeTo(role: Message["role"], last: SentMessage | undefined): Piece | undefined {
  if (last === undefined) return role === "assistant" ? bridge("user", "[The conversation goes on here.]") : undefined;
  return last.pieces.length > 1 && role === "user" ? bridge("assistant", "[Noted.]") : undefined;
}

function bridge(role: Message["role"], content: string): Piece {
  return { text: JSON.stringify({ role, content }) };
}

/** Whether the assistant's next message answers a user's text (a bridge of ours included) and not tool results. */
function startsLoop(last: SentMessage | undefined, writing: Writing): boolean {
  return last === undefined || (last.message.role === "user" && !hasResults(last, writing));
}

function hasResults({ group }: SentMessage, { conversation }: Writing): boolean {
  const item = group && conversation.items[group.items[0] ?? -1];
  return asArray(fieldAt(item, "content")).some((block) => fieldAt(block, "type") === "tool_result");
}

function lendThinking(turn: Piece, end: number | undefined, writing: Writing): Piece {
  return { ...turn, text: withThinking(turn.text, writing, writing.conversation.groups.slice(0, end)) };
}

/** The index of the first message that comes after a part and after all that it hides; undefined if none does. */
function endOfPart(messages: readonly SentMessage[], position: number): number | undefined {
  const part = messages[position]?.part;
  if (part !== undefined && part.type !== "stand-in") return part.index + 1;
  const later = messages.slice(position).map((message): WirePart => message.part);
  return later.find((next) => next.type !== "stand-in")?.index;
}

const THINKING_TYPES: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking"]);

/** Whether thinking has a budget: the API then demands that each tool loop starts with the thinking that led to it. */
export function hasThinkingBudget(fields: JsonRecord): boolean {
  return fieldAt(fields, "thinking", "type") === "enabled";
}

/** The assistant's item with the newest thinking of `lenders` before its content; the item itself if it starts with thinking. */
function withThinking(item: string, writing: Writing, lenders: readonly ItemGroup[]): string {
  const parsed: unknown = parseJson(item);
  const content = sliceFields(item)?.get("content");
  if (content === undefined || startsWithThinking(parsed)) return item;
  const { items } = writing.conversation;
  const lender = lenders.findLast((group) => isAssistant(group) && startsWithThinking(items[firstItem(group)]));
  const thinking = lender && leadingThinking(writing, firstItem(lender));
  if (thinking === undefined) return item;
  const text = item.slice(content.start, content.end);
  const blocks = sliceItems(item, content.start);
  if (blocks?.length === 0) return item;
  const rest = blocks === undefined ? `{"type":"text","text":${text}}]` : text.slice(1);
  return `${item.slice(0, content.start)}[${thinking},${rest}${item.slice(content.end)}`;
}

function startsWithThinking(item: unknown): boolean {
  return THINKING_TYPES.has(fieldAt(item, "content", 0, "type"));
}

function isAssistant({ message }: ItemGroup): boolean {
  return message.role === "assistant";
}

/** The item of the turn itself; the group's other items are attached to it. */
function firstItem({ items }: ItemGroup): number {
  return items[0] ?? -1;
}

/** The thinking that a message starts with, as its exact bytes: one changed byte would break its signature. */
function leadingThinking({ slices, conversation }: Writing, item: number): string | undefined {
  const blocks = asArray(fieldAt(conversation.items[item], "content"));
  const firstOther = blocks.findIndex((block) => !THINKING_TYPES.has(fieldAt(block, "type")));
  const entries = slices.entries(slices.field(slices.items[item], "content"));
  const [first, last] = [entries?.[0], entries?.at(firstOther < 0 ? -1 : firstOther - 1)];
  return first && last && slices.body.slice(first.start, last.end);
}
