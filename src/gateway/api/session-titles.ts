import type { Store, StoredSession } from "../../core/ports/store.ts";
import { describeMessage } from "../../core/strata/describe-message.ts";
import { parseRecord } from "../../engine/session/journal/log-record.ts";

/** How many records are looked at: the first thing that was said is nearly always the first of them. */
const FIRST_RECORDS = 2;

/** The beginning of what was said first in a session; undefined where that cannot be told at once. */
async function titleOf(store: Pick<Store, "read">, { key }: Pick<StoredSession, "key">): Promise<string | undefined> {
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

/** How many sessions are looked at together: on a database over a network, each is a round trip. */
const AT_ONCE = 10;

/** The titles of sessions, in their order. */
export async function titlesOf(
  store: Pick<Store, "read">,
  sessions: readonly Pick<StoredSession, "key">[],
): Promise<readonly (string | undefined)[]> {
  const titles: (string | undefined)[] = [];
  for (let at = 0; at < sessions.length; at += AT_ONCE) {
    const some = sessions.slice(at, at + AT_ONCE);
    titles.push(...(await Promise.all(some.map((session) => titleOf(store, session)))));
  }
  return titles;
}
