import { asArray, asRecord, fieldAt } from "../../core/json/read-json.ts";
import { durationMs } from "../splice/duration.ts";
import type { ItemList } from "../splice/index.ts";
import { readEach } from "../splice/read-once.ts";

/** Of a mark that names no lifetime. */
const DEFAULT_LIFETIME_MS = 5 * 60_000;

interface Mark {
  readonly lifetimeMs: number | undefined;
}

/** How long the conversation stays cached, by the newest mark on it, or by the one for the whole request; undefined where nothing is marked. */
export function cacheLifetimeMs({ fields, items }: Pick<ItemList, "fields" | "items">): number | undefined {
  const mark = readMarks(items).findLast((found) => found !== undefined) ?? markOf(fields);
  return mark?.lifetimeMs;
}

/** The last mark of each message. */
const readMarks = readEach((item: unknown): Mark | undefined => {
  const marks = asArray(fieldAt(item, "content")).map(markOf);
  return marks.findLast((mark) => mark !== undefined);
});

function markOf(block: unknown): Mark | undefined {
  const mark = asRecord(fieldAt(block, "cache_control"));
  if (mark === undefined) return undefined;
  return { lifetimeMs: mark.ttl === undefined ? DEFAULT_LIFETIME_MS : durationMs(mark.ttl) };
}
