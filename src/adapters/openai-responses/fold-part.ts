import type { JsonSlice } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import type { Message } from "../../core/message/message.ts";
import { type BodySlices, type Edit, editOf } from "../splice/index.ts";
import { textFieldOf } from "./read-parts.ts";
import { textType } from "./write-blocks.ts";

export interface PartFold {
  /** What the part says instead. */
  readonly shown: string;
  readonly role: Message["role"];
}

/** A part that is text keeps its other fields; any other one becomes text. */
export function foldPart(slices: BodySlices, part: JsonSlice, { shown, role }: PartFold): readonly Edit[] {
  const field = textFieldOf(valueAt(slices, part));
  const slice = field === undefined ? undefined : slices.field(part, field);
  if (slice !== undefined) return editOf(slice, JSON.stringify(shown));
  return editOf(part, JSON.stringify({ type: textType(role), text: shown }));
}

export function valueAt({ body }: BodySlices, slice: JsonSlice | undefined): unknown {
  return slice === undefined ? undefined : tryParseJson(body.slice(slice.start, slice.end));
}
