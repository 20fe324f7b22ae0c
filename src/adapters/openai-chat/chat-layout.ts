import { type JsonSlice, sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import { asArray, asRecord, isRecord, type JsonRecord, parseJson } from "../../core/transcript/read-json.ts";

/** A request's body, and where the items of its conversation stand in it. */
export interface ChatLayout {
  readonly body: string;
  readonly record: JsonRecord;
  /** All of `messages`. */
  readonly items: readonly ChatItem[];
  /** So many items of the system stand before the conversation. */
  readonly systemCount: number;
}

/** One entry of `messages`. */
export interface ChatItem {
  readonly record: JsonRecord;
  readonly slice: JsonSlice;
}

/** Undefined where the body is no JSON, or holds no list of items with something besides the system's. */
export function readLayout(body: string): ChatLayout | undefined {
  const record = asRecord(parseJson(body));
  const records = asArray(record?.messages);
  if (record === undefined || !records.every(isRecord)) return undefined;
  const systemCount = records.findIndex((item) => !isSystem(item));
  const start = sliceFields(body)?.get("messages")?.start;
  const slices = start === undefined ? [] : (sliceItems(body, start) ?? []);
  if (systemCount < 0 || slices.length !== records.length) return undefined;
  const items = slices.flatMap((slice, index) => {
    const item = records[index];
    return item === undefined ? [] : [{ record: item, slice }];
  });
  return { body, record, items, systemCount };
}

export function isSystem({ role }: JsonRecord): boolean {
  return role === "system" || role === "developer";
}
