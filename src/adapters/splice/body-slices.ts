import { assert } from "../../core/assert.ts";
import { type JsonSlice, sliceFields, sliceItems, sliceListAt } from "../../core/json/json-slices.ts";

/** The positions of values in a body's text. Each object or list is scanned only once: an item may be large, and many of its blocks folded. */
export interface BodySlices {
  readonly body: string;
  /** The items of the conversation's list, by their index. */
  readonly items: readonly JsonSlice[];
  /** The fields of the object at `owner`; undefined where there is no object. */
  fields(owner: JsonSlice | undefined): ReadonlyMap<string, JsonSlice> | undefined;
  /** The value of a field of the object at `owner`. */
  field(owner: JsonSlice | undefined, name: string): JsonSlice | undefined;
  /** The entries of the list at `owner`; undefined where there is no list. */
  entries(owner: JsonSlice | undefined): readonly JsonSlice[] | undefined;
  /** An entry of the list at `owner`. */
  entry(owner: JsonSlice | undefined, index: number): JsonSlice | undefined;
  /** The text of the item at this index, as it stands in the body; empty if there is no such item. */
  itemText(index: number): string;
}

/** Slices a body whose list is at the end of `path`. Only needed to write a request that is changed. */
export function sliceBody(body: string, path: readonly string[]): BodySlices {
  const fieldsAt = memoized((start) => sliceFields(body, start));
  const entriesAt = memoized((start) => sliceItems(body, start));
  const items = sliceListAt(body, path)?.items ?? [];
  const fields = (owner: JsonSlice | undefined) => (owner === undefined ? undefined : fieldsAt(owner.start));
  const entries = (owner: JsonSlice | undefined) => (owner === undefined ? undefined : entriesAt(owner.start));
  return {
    body,
    items,
    fields,
    field: (owner, name) => fields(owner)?.get(name),
    entries,
    entry: (owner, index) => entries(owner)?.[index],
    itemText: (index) => {
      const slice = items[index];
      return slice === undefined ? "" : body.slice(slice.start, slice.end);
    },
  };
}

function memoized<Value>(read: (start: number) => Value): (start: number) => Value {
  const valuesByStart = new Map<number, Value>();
  return (start) => {
    const value = valuesByStart.get(start) ?? read(start);
    valuesByStart.set(start, value);
    return value;
  };
}

/** The entry at `index` of a list that has one entry per message of a request. Throws if there is no such message. */
export function entryAt<Entry extends object>(entries: readonly Entry[], index: number): Entry {
  const entry = entries[index];
  assert(entry !== undefined, "index", index, `that of one of the request's ${entries.length} messages`);
  return entry;
}

/** The text that replaces a range of the body. */
export interface Edit extends JsonSlice {
  readonly text: string;
}

/** Returns the text of a range of the body with the edits applied. Edits lie within the range and do not overlap; all other bytes stay. */
export function applyEdits(body: string, { start, end }: JsonSlice, edits: readonly Edit[]): string {
  let text = "";
  let at = start;
  // Edits come in the order of blocks, but an item may have its fields in any order.
  for (const edit of edits.length < 2 ? edits : edits.toSorted((one, other) => one.start - other.start)) {
    text += body.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + body.slice(at, end);
}

/** The edit that replaces a slice by `text`; an empty list if the slice is undefined. */
export function editOf(slice: JsonSlice | undefined, text: string): readonly Edit[] {
  return slice === undefined ? [] : [{ start: slice.start, end: slice.end, text }];
}
