import { isRecord } from "../../core/json/read-json.ts";
import { stableList, stableRecord, stableText } from "../../core/json/stable-text.ts";

/** A text that is equal for the items of messages that say the same. */
export function canonicalItems([main, ...attached]: readonly unknown[]): string {
  let text = canonicalSpoken(main);
  for (const item of attached) text += `\n${canonicalSpoken(item)}`;
  return text;
}

/** The text of a message or a block, without marks; content in its one form. */
export function canonicalSpoken(value: unknown): string {
  return isRecord(value) ? stableRecord(value, canonicalField) : stableText(value);
}

function canonicalField(name: string, value: unknown): string | undefined {
  switch (name) {
    // what a client sets anew in each request
    case "cache_control":
    case "output_config":
      return undefined;
    case "content":
      return canonicalContent(value);
    // data such as a call's arguments: nothing in it is a mark
    default:
      return stableText(value);
  }
}

function canonicalContent(content: unknown): string {
  if (typeof content === "string") return stableList([{ type: "text", text: content }], canonicalSpoken);
  return Array.isArray(content) ? stableList(content, canonicalSpoken) : stableText(content);
}
