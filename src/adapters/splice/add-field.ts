import { type JsonSlice, sliceFields } from "../../core/json/json-slices.ts";

/** The text with one more field at the end of the object at `owner`; every other byte is the same. @default the whole text */
export function addField(text: string, name: string, { value, owner }: AddedField): string {
  const start = owner?.start ?? 0;
  const fields = sliceFields(text, start);
  const end = owner === undefined ? text.lastIndexOf("}") : owner.end - 1;
  if (fields === undefined || fields.has(name) || text[end] !== "}") return text;
  const comma = fields.size === 0 ? "" : ",";
  return `${text.slice(0, end)}${comma}${JSON.stringify(name)}:${JSON.stringify(value)}${text.slice(end)}`;
}

export interface AddedField {
  readonly value: unknown;
  readonly owner?: JsonSlice | undefined;
}
