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
