import { bodyValue } from "../../core/json/body-value.ts";
import { type JsonSlice, sliceFields, sliceListField } from "../../core/json/json-slices.ts";
import { isNestedTooDeep } from "../../core/json/nesting.ts";
import type { RawRequest } from "../../core/ports/wire-adapter.ts";
import { asName, asRecord, type JsonRecord } from "../../core/transcript/read-json.ts";
import { type GroupedItems, groupItems } from "./group-items.ts";
import { isOutputType, type ReadItem, readItem, typeOf } from "./read-item.ts";

/** What a body holds. */
export interface Layout extends GroupedItems {
  readonly raw: RawRequest;
  readonly fields: JsonRecord;
  /** The input may be one string: then it is the only item. */
  readonly isList: boolean;
  readonly items: readonly unknown[];
  readonly read: readonly ReadItem[];
}

/** And where it stands. */
export interface PlacedLayout extends Layout {
  readonly body: string;
  /** The value of `input`. */
  readonly input: JsonSlice;
  readonly slices: readonly JsonSlice[];
}

/** Undefined where the body holds no conversation, or only a part of one. */
export function readLayout(raw: RawRequest): Layout | undefined {
  const fields = asRecord(bodyValue(raw));
  if (fields === undefined || isContinued(fields)) return undefined;
  const { input } = fields;
  const isList = Array.isArray(input);
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  if ((!isList && typeof input !== "string") || items.some(isUnsafe) || isNestedTooDeep(items)) return undefined;
  const answeredIds = new Set(items.flatMap(answeredId));
  const read = items.map((item) => readItem(isList ? item : { role: "user", content: item }, answeredIds));
  const grouped = groupItems(read);
  return grouped.groups.length === 0 ? undefined : { ...grouped, raw, fields, isList, items, read };
}

/** Only a request that is changed needs this: most are forwarded as they came. */
export function placeItems(layout: Layout): PlacedLayout {
  const { isList } = layout;
  const { body } = layout.raw;
  const list = isList ? sliceListField(body, "input") : undefined;
  if (list !== undefined) return { ...layout, body, input: list.slice, slices: list.items };
  const input = sliceFields(body)?.get("input") ?? { start: body.length, end: body.length };
  return { ...layout, body, input, slices: [input] };
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
export function itemText({ body, slices, isList }: PlacedLayout, index: number): string {
  const slice = slices[index];
  const text = slice === undefined ? "" : body.slice(slice.start, slice.end);
  return isList ? text : `{"role":"user","content":${text}}`;
}
