import { isNestedTooDeep } from "../../core/json/nesting.ts";
import { asArray, asRecord, isRecord, type JsonRecord, parseJson } from "../../core/transcript/read-json.ts";

/** What a request's body holds. */
export interface ChatLayout {
  readonly body: string;
  readonly record: JsonRecord;
  /** All of `messages`. */
  readonly items: readonly JsonRecord[];
  /** So many items of the system stand before the conversation. */
  readonly systemCount: number;
}

/** Undefined where the body is no JSON, or holds no list of items with something besides the system's. */
export function readLayout(body: string): ChatLayout | undefined {
  const record = asRecord(parseJson(body));
  const items = asArray(record?.messages);
  if (record === undefined || !items.every(isRecord) || isNestedTooDeep(items)) return undefined;
  const systemCount = items.findIndex((item) => !isSystem(item));
  return systemCount < 0 ? undefined : { body, record, items, systemCount };
}

export function isSystem({ role }: JsonRecord): boolean {
  return role === "system" || role === "developer";
}
