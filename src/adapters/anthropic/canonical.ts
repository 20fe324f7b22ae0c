import { isRecord } from "../../core/json/read-json.ts";
import { stableList, stableRecord, stableText } from "../../core/json/stable-text.ts";

/** One text for all ways to write the same message: see `WireRequest.canonical`. */
export function canonicalItems([main, ...attached]: readonly unknown[]): string {
  let text = canonicalSpoken(main);
  for (const item of attached) text += `\n${canonicalSpoken(item)}`;
  return text;
}

/** The canonical text of a message or a block: without cache marks, and with string content as a text block. */
export function canonicalSpoken(value: unknown): string {
  return isRecord(value) ? stableRecord(value, canonicalField) : stableText(value);
}

function canonicalField(name: string, value: unknown): string | undefined {
  switch (name) {
    // clients set these anew in each request
    case "cache_control":
    case "output_config":
      return undefined;
    case "content":
      return canonicalContent(value);
    // data such as a call's arguments: a field named cache_control in it is no mark
    default:
      return stableText(value);
  }
}

function canonicalContent(content: unknown): string {
  if (typeof content === "string") return stableList([{ type: "text", text: content }], canonicalSpoken);
  return Array.isArray(content) ? stableList(content, canonicalSpoken) : stableText(content);
}
