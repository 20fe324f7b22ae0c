import { asRecord, isRecord } from "../../core/json/read-json.ts";
import { stableList, stableRecord, stableString, stableText } from "../../core/json/stable-text.ts";

/**
 * One text for all ways to write these items: without marks for caches and without fields that are null, the keys in order, a
 * list of one text as that text. Items with equal texts are read as the same blocks, so that folds of one fit the other.
 */
export function canonicalText(items: readonly unknown[]): string {
  let text = "";
  for (const item of items) text += `${stableRecord(asRecord(item) ?? {}, itemField)}\n`;
  return text;
}

function itemField(name: string, value: unknown): string | undefined {
  if (value === null || isCacheMark(name)) return undefined;
  return name === "content" ? canonicalContent(value) : canonicalValue(value);
}

/** Undefined where it says nothing. */
function canonicalContent(content: unknown): string | undefined {
  if (content === "" || (Array.isArray(content) && content.length === 0)) return undefined;
  if (!Array.isArray(content) || content.length > 1) return canonicalValue(content);
  const text = plainText(content[0]);
  return text === undefined ? canonicalValue(content) : stableString(text);
}

/** The text of a part that is nothing else. */
function plainText(part: unknown): string | undefined {
  if (!isRecord(part) || part.type !== "text" || typeof part.text !== "string" || part.text === "") return undefined;
  const isPlain = Object.keys(part).every((name) => name === "type" || name === "text" || isCacheMark(name));
  return isPlain ? part.text : undefined;
}

function canonicalValue(value: unknown): string {
  if (Array.isArray(value)) return stableList(value, canonicalValue);
  return isRecord(value) ? stableRecord(value, valueField) : stableText(value);
}

function valueField(name: string, value: unknown): string | undefined {
  return isCacheMark(name) ? undefined : canonicalValue(value);
}

/** Clients move these from request to request; some servers have a name of their own for them. */
function isCacheMark(name: string): boolean {
  return name.endsWith("cache_control");
}
