import { type JsonSlice, sliceFields, sliceItems, sliceListField } from "../../core/json/json-slices.ts";

/** Looks into values of a body, each only once: an item may be large, and many of its blocks folded. */
export interface BodySlices {
  readonly body: string;
  /** The entries of `messages`. */
  readonly items: readonly JsonSlice[];
  /** The value of a field of the object at `owner`. */
  field(owner: JsonSlice | undefined, name: string): JsonSlice | undefined;
  /** An item of the list at `owner`. */
  item(owner: JsonSlice | undefined, index: number): JsonSlice | undefined;
}

/** Only a request that is changed needs this: most are forwarded as they came. */
export function bodySlices(body: string): BodySlices {
  const fieldsAt = memoized((start) => sliceFields(body, start));
  const itemsAt = memoized((start) => sliceItems(body, start));
  return {
    body,
    items: sliceListField(body, "messages")?.items ?? [],
    field: (owner, name) => (owner === undefined ? undefined : fieldsAt(owner.start)?.get(name)),
    item: (owner, index) => (owner === undefined ? undefined : itemsAt(owner.start)?.[index]),
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
