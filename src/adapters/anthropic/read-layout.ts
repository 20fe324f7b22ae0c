import { type JsonSlice, sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import type { WireRequest } from "../../core/ports/wire-adapter.ts";
import { asRecord, fieldAt, type JsonRecord } from "../../core/transcript/read-json.ts";

/** One item of `messages`: what it says, and where it stands in the body. */
export interface WireItem {
  /** Its place in the list. */
  readonly index: number;
  readonly value: unknown;
  readonly slice: JsonSlice;
}

/** A turn's item, and what came after it from others than user and assistant: system messages, roles that we do not know. */
export interface ItemGroup {
  readonly role: "user" | "assistant";
  readonly main: WireItem;
  readonly attached: readonly WireItem[];
}

/** Where the conversation stands in a body. */
export interface Layout {
  readonly fields: JsonRecord;
  /** The value of `messages`. */
  readonly list: JsonSlice;
  /** What stands before the first turn: always sent. */
  readonly preamble: readonly WireItem[];
  readonly groups: readonly ItemGroup[];
}

const layouts = new WeakMap<WireRequest, Layout>();

/** Keeps the layout that a request was read with: to write it, nothing need be read again. */
export function rememberLayout(request: WireRequest, layout: Layout): WireRequest {
  layouts.set(request, layout);
  return request;
}

export function layoutOf(request: WireRequest): Layout | undefined {
  return layouts.get(request) ?? readLayout(request.raw.body);
}

/** Undefined where the body holds no conversation. Throws where it is no JSON. */
export function readLayout(body: string): Layout | undefined {
  const parsed: unknown = JSON.parse(body);
  const fields = asRecord(parsed);
  const values = fields?.messages;
  if (fields === undefined || !Array.isArray(values)) return undefined;
  const list = sliceFields(body)?.get("messages");
  const slices = list && sliceItems(body, list.start);
  if (list === undefined || slices === undefined) return undefined;
  const items = slices.map((slice, index): WireItem => ({ index, slice, value: values[index] }));
  const firstTurn = items.findIndex((item) => turnRole(item) !== undefined);
  if (firstTurn < 0) return undefined;
  return { fields, list, preamble: items.slice(0, firstTurn), groups: groupItems(items.slice(firstTurn)) };
}

function groupItems(items: readonly WireItem[]): readonly ItemGroup[] {
  const groups: { role: ItemGroup["role"]; main: WireItem; attached: WireItem[] }[] = [];
  for (const item of items) {
    const role = turnRole(item);
    if (role !== undefined) groups.push({ role, main: item, attached: [] });
    else groups.at(-1)?.attached.push(item);
  }
  return groups;
}

function turnRole({ value }: WireItem): ItemGroup["role"] | undefined {
  const role = fieldAt(value, "role");
  return role === "user" || role === "assistant" ? role : undefined;
}
