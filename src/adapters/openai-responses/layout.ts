import { type JsonSlice, sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import { asName, asRecord, type JsonRecord, parseJson } from "../../core/transcript/read-json.ts";
import { type GroupedItems, groupItems } from "./group-items.ts";
import { isOutputType, type ReadItem, readItem, typeOf } from "./read-item.ts";

/** Where the conversation stands in the body. */
export interface Layout extends GroupedItems {
  readonly body: string;
  readonly fields: JsonRecord;
  /** The value of `input`. */
  readonly input: JsonSlice;
  /** The input may be one string: then it is the only item. */
  readonly isList: boolean;
  readonly items: readonly unknown[];
  readonly slices: readonly JsonSlice[];
  readonly read: readonly ReadItem[];
}

/** Undefined where the body holds no conversation, or only a part of one. */
export function readLayout(body: string): Layout | undefined {
  const fields = asRecord(parseJson(body));
  if (fields === undefined || isContinued(fields)) return undefined;
  const input = sliceFields(body)?.get("input");
  if (input === undefined) return undefined;
  const isList = Array.isArray(fields.input);
  const items: readonly unknown[] = isList && Array.isArray(fields.input) ? fields.input : [fields.input];
  if ((!isList && typeof fields.input !== "string") || items.some(isUnsafe)) return undefined;
  const answeredIds = new Set(items.flatMap(answeredId));
  const read = items.map((item) => readItem(isList ? item : { role: "user", content: item }, answeredIds));
  const grouped = groupItems(read);
  if (grouped.groups.length === 0) return undefined;
  const slices = isList ? (sliceItems(body, input.start) ?? []) : [input];
  return { ...grouped, body, fields, input, isList, items, slices, read };
}

/** The provider has the rest of the conversation: what came before is not ours to fold. */
function isContinued({ previous_response_id, conversation }: JsonRecord): boolean {
  return (previous_response_id ?? conversation ?? undefined) !== undefined;
}

/** Calls made by a program need it, and it needs them; a compaction is asked for as the last item, and takes all as it is. */
const UNSAFE_TYPES: ReadonlySet<unknown> = new Set(["program", "program_output", "compaction_trigger"]);

function isUnsafe(item: unknown): boolean {
  return UNSAFE_TYPES.has(asRecord(item)?.type);
}

function answeredId(value: unknown): readonly string[] {
  const item = asRecord(value);
  const callId = asName(item?.call_id);
  return item !== undefined && callId !== undefined && isOutputType(typeOf(item)) ? [callId] : [];
}

/** The item as it stands, as JSON of an item. */
export function itemText({ body, slices, isList }: Layout, index: number): string {
  const slice = slices[index];
  const text = slice === undefined ? "" : body.slice(slice.start, slice.end);
  return isList ? text : `{"role":"user","content":${text}}`;
}
