import { bodyValue } from "../../core/json/body-value.ts";
import { type JsonSlice, sliceListField } from "../../core/json/json-slices.ts";
import { isNestedTooDeep } from "../../core/json/nesting.ts";
import type { RawRequest, WireRequest } from "../../core/ports/wire-adapter.ts";
import { asRecord, type JsonRecord } from "../../core/transcript/read-json.ts";

/** One item of `messages`. */
export interface WireItem {
  /** Its place in the list. */
  readonly index: number;
  readonly value: unknown;
}

/** A turn's item, and what came after it from others than user and assistant: system messages, roles that we do not know. */
export interface ItemGroup {
  readonly role: "user" | "assistant";
  readonly main: WireItem;
  readonly attached: readonly WireItem[];
}

/** What a body holds. */
export interface Layout {
  readonly fields: JsonRecord;
  /** What stands before the first turn: always sent. */
  readonly preamble: readonly WireItem[];
  readonly groups: readonly ItemGroup[];
}

/** A body, and where the items of `messages` stand in it. */
export interface WireSource {
  readonly body: string;
  /** By their place in the list. */
  readonly slices: readonly JsonSlice[];
}

const layouts = new WeakMap<WireRequest, Layout>();

/** Keeps the layout that a request was read with: to write it, nothing need be read again. */
export function rememberLayout(request: WireRequest, layout: Layout): WireRequest {
  layouts.set(request, layout);
  return request;
}

export function layoutOf(request: WireRequest): Layout | undefined {
  return layouts.get(request) ?? readLayout(request.raw);
}

/** Undefined where the body holds no conversation. */
export function readLayout(raw: RawRequest): Layout | undefined {
  const fields = asRecord(bodyValue(raw));
  const values = fields?.messages;
  if (fields === undefined || !Array.isArray(values) || isNestedTooDeep(values)) return undefined;
  const items = values.map((value: unknown, index): WireItem => ({ index, value }));
  const firstTurn = items.findIndex((item) => turnRole(item) !== undefined);
  if (firstTurn < 0) return undefined;
  return { fields, preamble: items.slice(0, firstTurn), groups: groupItems(items.slice(firstTurn)) };
}

/** Only a request that is changed needs this: most are forwarded as they came. */
export function sourceOf(body: string): WireSource {
  return { body, slices: sliceListField(body, "messages")?.items ?? [] };
}

export function sliceOf({ body, slices }: WireSource, { index }: WireItem): JsonSlice {
  return slices[index] ?? { start: body.length, end: body.length };
}

/** The item as it stands in the body. */
export function bytesOf(source: WireSource, item: WireItem): string {
  const { start, end } = sliceOf(source, item);
  return source.body.slice(start, end);
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
  const role = asRecord(value)?.role;
  return role === "user" || role === "assistant" ? role : undefined;
}
