import type { JsonSlice } from "../../core/json/json-slices.ts";

/** A piece of a text that is replaced. */
export interface Edit extends JsonSlice {
  readonly text: string;
}

/** The text with its pieces replaced; all around them stays as it is. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}
