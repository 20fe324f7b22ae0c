import { assert } from "../../core/assert.ts";

/** What an adapter keeps for one of a request's messages; an index that names none is refused. */
export function entryAt<Entry extends object>(entries: readonly Entry[], index: number): Entry {
  const entry = entries[index];
  assert(entry !== undefined, "index", index, `that of one of the request's ${entries.length} messages`);
  return entry;
}
