import { isRecord, type JsonRecord } from "./read-json.ts";

/**
 * A canonical text of a JSON value: the same for equal values, whatever the order of their keys, and different for different values.
 * Strings are written unescaped behind their length: megabytes of them need no escaping, and no string can contain its own end.
 */
export function stableText(value: unknown): string {
  if (typeof value === "string") return stableString(value);
  if (Array.isArray(value)) return stableList(value, stableText);
  return isRecord(value) ? stableRecord(value, stableField) : String(value);
}

/** The canonical text of a list, with `textOfItem` for its items. */
export function stableList(items: readonly unknown[], textOfItem: (item: unknown) => string): string {
  let text = "[";
  for (const item of items) text += `${textOfItem(item)},`;
  return `${text}]`;
}

/** The canonical text of an object, its fields sorted by name; a field is left out where `textOfField` returns undefined. */
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

/** Up to so many names, which almost all objects have, an insertion sort is faster than `sort`. */
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
