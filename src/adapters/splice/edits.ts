import type { JsonSlice } from "../../core/json/json-slices.ts";

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
