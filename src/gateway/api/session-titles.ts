import type { Store, StoredSession } from "../../core/ports/store.ts";
import { describeMessage } from "../../core/strata/describe-message.ts";
import { parseRecord } from "../../engine/session/journal/log-record.ts";

/** How many records are looked at: the first thing that was said is nearly always the first of them. */
const FIRST_RECORDS = 2;

/** The beginning of what was said first in a session; undefined where that cannot be told at once. */
export async function titleOf(
  store: Pick<Store, "read">,
  { key }: Pick<StoredSession, "key">,
): Promise<string | undefined> {
  try {
    for (const { body } of await store.read(key, { limit: FIRST_RECORDS })) {
      const record = parseRecord(body);
      if (record?.type !== "message") continue;
      const { label } = describeMessage(record.message);
      if (label !== "") return label;
    }
  } catch {
    // A session that is damaged or was deleted meanwhile must not hide the others: whoever opens it is told.
  }
  return undefined;
}
