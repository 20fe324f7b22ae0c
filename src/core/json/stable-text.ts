import { isRecord, type JsonRecord } from "./read-json.ts";

/**
 * A text for a value of JSON: the same for equal values, however their keys are ordered, and never the same for two that differ.
 * Strings come as they are behind their length: megabytes of them need no escapes, and no string can look like the end of itself.
 */
export function stableText(value: unknown): string {
  if (typeof value === "string") return stableString(value);
  if (Array.isArray(value)) return stableList(value, stableText);
  return isRecord(value) ? stableRecord(value, stableField) : String(value);
}

/** The text of a list whose items have texts of their own. */
export function stableList(items: readonly unknown[], textOfItem: (item: unknown) => string): string {
  let text = "[";
  for (const item of items) text += `${textOfItem(item)},`;
  return `${text}]`;
}

/** The text of an object, its fields in order; a field is left out where `textOfField` gives undefined. */
export function stableRecord(
  record: JsonRecord,
  textOfField: (name: string, value: unknown) => string | undefined,
): string {
  let text = "{";
  for (const name of orderedNames(record)) {
    const field = textOfField(name, record[name]);
    if (field !== undefined) text += `${stableString(name)}:${field},`;
  }
  return `${text}}`;
}

function stableField(_: string, value: unknown): string {
  return stableText(value);
}

export function stableString(value: string): string {
  return `${value.length}"${value}`;
}

/** Almost all objects have so few names that putting each in its place is faster than a sort. */
const FEW_NAMES = 12;

function orderedNames(record: JsonRecord): readonly string[] {
  const names = Object.keys(record);
  if (names.length > FEW_NAMES) return names.sort();
  for (let index = 1; index < names.length; index++) {
    const name = names[index] ?? "";
    let place = index;
    for (; place > 0; place--) {
      const before = names[place - 1] ?? "";
      if (before <= name) break;
      names[place] = before;
    }
    names[place] = name;
  }
  return names;
}
