import { type JsonSlice, sliceFields, sliceItems } from "../../../core/json/json-slices.ts";
import { isRecord, type JsonRecord } from "../../../core/json/read-json.ts";

/** The text of an object with one more item at the end of a list in it, which is made where there is none. Every other byte is the same. */
export function addToList(text: string, name: string, item: string): string {
  const slice = sliceFields(text)?.get(name);
  if (slice === undefined) return insertField(text, name, `[${item}]`);
  return replace(text, slice, appended(text.slice(slice.start, slice.end), item));
}

/** The text of a list with one more item at its end. */
export function appended(list: string, item: string): string {
  const last = sliceItems(list)?.at(-1);
  if (last === undefined) return `[${item}]`;
  return `${list.slice(0, last.end)},${item}${list.slice(last.end)}`;
}

/** The text of an object with another value for one of its fields. */
export function setField(text: string, name: string, value: string): string {
  const slice = sliceFields(text)?.get(name);
  return slice === undefined ? insertField(text, name, value) : replace(text, slice, value);
}

/** The text of an object without a field of its own. */
function insertField(text: string, name: string, value: string): string {
  const open = text.indexOf("{") + 1;
  const isEmpty = (sliceFields(text)?.size ?? 0) === 0;
  return `${text.slice(0, open)}${JSON.stringify(name)}:${value}${isEmpty ? "" : ","}${text.slice(open)}`;
}

function replace(text: string, { start, end }: JsonSlice, value: string): string {
  return text.slice(0, start) + value + text.slice(end);
}

/** Both reports of usage as one: numbers are added up, of everything else the later counts. */
export function sumUsage(one: unknown, other: unknown): unknown {
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (isRecord(one) && isRecord(other)) return sumFields(one, other);
  return other ?? one;
}

function sumFields(one: JsonRecord, other: JsonRecord): JsonRecord {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, sumUsage(one[name], other[name])]));
}
