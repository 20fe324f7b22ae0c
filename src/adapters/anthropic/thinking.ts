import { sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import { parseJson } from "../../core/json/parse-json.ts";
import { asArray, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import type { ItemGroup, Writing } from "../splice/index.ts";

const THINKING_TYPES: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking"]);

/** Whether thinking has a budget: each tool loop must then start with the thinking that led to it. */
export function hasThinkingBudget(fields: JsonRecord): boolean {
  return fieldAt(fields, "thinking", "type") === "enabled";
}

/** An assistant's item with the newest thinking of `lenders` before its content, where it has none there itself. */
export function withThinking(item: string, writing: Writing, lenders: readonly ItemGroup[]): string {
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

/** The item of the turn itself; those behind it are attached to it. */
function firstItem({ items }: ItemGroup): number {
  return items[0] ?? -1;
}

/** The bytes of the thinking that a message starts with: one changed byte would break its signature. */
function leadingThinking({ slices, conversation }: Writing, item: number): string | undefined {
  const blocks = asArray(fieldAt(conversation.items[item], "content"));
  const firstOther = blocks.findIndex((block) => !THINKING_TYPES.has(fieldAt(block, "type")));
  const entries = slices.entries(slices.field(slices.items[item], "content"));
  const [first, last] = [entries?.[0], entries?.at(firstOther < 0 ? -1 : firstOther - 1)];
  return first && last && slices.body.slice(first.start, last.end);
}
