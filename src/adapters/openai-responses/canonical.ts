import { asRecord, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { stableList, stableRecord, stableText } from "../../core/json/stable-text.ts";

/** One text for the items of a message, equal for items that say the same. */
export function canonicalItems(items: readonly unknown[]): string {
  let text = "";
  for (const item of items) text += `${canonicalItem(item)}\n`;
  return text;
}

function canonicalItem(value: unknown): string {
  // An input may be a string alone.
  if (typeof value === "string") return canonicalItem({ role: "user", content: value });
  const item = asRecord(value);
  return item === undefined ? stableText(value) : stableRecord(item, (name, field) => itemField(item, name, field));
}

function itemField(item: JsonRecord, name: string, field: unknown): string | undefined {
  switch (name) {
    case "type":
      // a message may leave it out
      return field === "message" && item.role !== undefined ? undefined : stableText(field);
    case "content":
      return canonicalParts(field, item.role === "assistant" ? "output_text" : "input_text");
    case "output":
      return canonicalParts(field, "input_text");
    default:
      return unmarked(name, field);
  }
}

function canonicalParts(content: unknown, textType: string): string {
  if (typeof content === "string") return stableList([{ type: textType, text: content }], canonicalPart);
  return Array.isArray(content) ? stableList(content, canonicalPart) : stableText(content);
}

function canonicalPart(part: unknown): string {
  return isRecord(part) ? stableRecord(part, unmarked) : stableText(part);
}

/** Marks for caches are left out: they move from request to request. */
function unmarked(name: string, field: unknown): string | undefined {
  return name === "cache_control" || name === "prompt_cache_breakpoint" ? undefined : stableText(field);
}
