import { bodyValue } from "../../core/json/body-value.ts";
import { isNestedTooDeep } from "../../core/json/nesting.ts";
import type { RawRequest } from "../../core/ports/wire-adapter.ts";
import { asArray, asRecord, isRecord, type JsonRecord } from "../../core/transcript/read-json.ts";

/** What a request's body holds. */
export interface ChatLayout {
  readonly raw: RawRequest;
  readonly record: JsonRecord;
  /** All of `messages`. */
  readonly items: readonly JsonRecord[];
  /** So many items of the system stand before the conversation. */
  readonly systemCount: number;
}

/** Undefined where the body is no JSON, or holds no list of items with something besides the system's. */
export function readLayout(raw: RawRequest): ChatLayout | undefined {
  const record = asRecord(bodyValue(raw));
  const items = asArray(record?.messages);
  if (record === undefined || !items.every(isRecord) || isNestedTooDeep(items)) return undefined;
  const systemCount = items.findIndex((item) => !isSystem(item));
  return systemCount < 0 ? undefined : { raw, record, items, systemCount };
}

export function isSystem({ role }: JsonRecord): boolean {
  return role === "system" || role === "developer";
}
