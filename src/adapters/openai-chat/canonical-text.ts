import { asArray, isRecord, type JsonRecord } from "../../core/transcript/read-json.ts";

/**
 * One text for all ways to write these items: without marks for caches and without fields that are null, the keys in order, a
 * list of one text as that text. Items with equal texts are read as the same blocks, so that folds of one fit the other.
 */
export function canonicalText(items: readonly JsonRecord[]): string {
  return JSON.stringify(items.map(canonicalItem));
}

function canonicalItem(item: JsonRecord): JsonRecord {
  const said = Object.fromEntries(sortedEntries(item).filter(([, value]) => value !== null));
  const { content, ...rest } = said;
  const plain = plainContent(content);
  return plain === undefined ? rest : { ...rest, content: plain };
}

/** Undefined where it says nothing. */
function plainContent(content: unknown): unknown {
  if (content === "" || (Array.isArray(content) && content.length === 0)) return undefined;
  const [part, ...others] = asArray(content);
  const isPlainText = others.length === 0 && isRecord(part) && part.type === "text" && Object.keys(part).length === 2;
  return isPlainText && typeof part.text === "string" && part.text !== "" ? part.text : content;
}

function sortedEntries(value: JsonRecord): readonly (readonly [string, unknown])[] {
  return Object.keys(value)
    .filter((key) => !isCacheMark(key))
    .sort()
    .map((key) => [key, sorted(value[key])]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  return isRecord(value) ? Object.fromEntries(sortedEntries(value)) : value;
}

/** Clients move these from request to request; some servers have a name of their own for them. */
function isCacheMark(key: string): boolean {
  return key.endsWith("cache_control");
}
