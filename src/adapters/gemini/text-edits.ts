import type { JsonSlice } from "../../core/json/json-slices.ts";

/** Another text for a slice. */
export interface Edit extends JsonSlice {
  readonly text: string;
}

/** The slice of a text with edits in it, which lie within the slice and do not overlap. */
export function applyEdits(text: string, { start, end }: JsonSlice, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let at = start;
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    pieces.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return [...pieces, text.slice(at, end)].join("");
}
