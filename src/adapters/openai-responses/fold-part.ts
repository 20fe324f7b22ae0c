import { type JsonSlice, sliceFields } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import type { Message } from "../../core/message/message.ts";
import type { Edit } from "./edits.ts";
import { textFieldOf } from "./read-parts.ts";
import { textType } from "./write-blocks.ts";

export interface PartFold {
  /** What the part says instead. */
  readonly shown: string;
  readonly role: Message["role"];
}

/** A part that is text keeps its other fields; any other one becomes text. */
export function foldPart(text: string, part: JsonSlice, { shown, role }: PartFold): Edit {
  const field = textFieldOf(valueAt(text, part));
  const slice = field === undefined ? undefined : sliceFields(text, part.start)?.get(field);
  if (slice !== undefined) return { ...slice, text: JSON.stringify(shown) };
  return { ...part, text: JSON.stringify({ type: textType(role), text: shown }) };
}

export function valueAt(text: string, slice: JsonSlice | undefined): unknown {
  return slice === undefined ? undefined : tryParseJson(text.slice(slice.start, slice.end));
}
