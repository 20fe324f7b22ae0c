import { assert } from "../../core/assert.ts";
import { type JsonSlice, sliceFields, sliceItems, sliceListAt } from "../../core/json/json-slices.ts";

/** Looks into values of a body, each only once: an item may be large, and many of its blocks folded. */
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
  /** The item of this index as it stands in the body. */
  itemText(index: number): string;
}

/** Slices a body whose list is at the end of `path`. Only a request that is changed needs this. */
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
  const known = new Map<number, Value>();
  return (start) => {
    const value = known.get(start) ?? read(start);
    known.set(start, value);
    return value;
  };
}

/** What an adapter keeps for one of a request's messages; an index that names none is refused. */
export function entryAt<Entry extends object>(entries: readonly Entry[], index: number): Entry {
  const entry = entries[index];
  assert(entry !== undefined, "index", index, `that of one of the request's ${entries.length} messages`);
  return entry;
}

/** Another text for a range of the body. */
export interface Edit extends JsonSlice {
  readonly text: string;
}

/** The range of a body with edits in it, which lie within the range and do not overlap; all around them is the same bytes. */
export function applyEdits(body: string, { start, end }: JsonSlice, edits: readonly Edit[]): string {
  let text = "";
  let at = start;
  // The fields of an item stand in any order.
  for (const edit of edits.length < 2 ? edits : edits.toSorted((one, other) => one.start - other.start)) {
    text += body.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + body.slice(at, end);
}

/** Another text for a slice; no edit where there is no such slice. */
export function editOf(slice: JsonSlice | undefined, text: string): readonly Edit[] {
  return slice === undefined ? [] : [{ start: slice.start, end: slice.end, text }];
}
