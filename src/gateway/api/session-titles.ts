import type { Store, StoredSession } from "../../core/ports/store.ts";
import { describeMessage } from "../../core/strata/describe-message.ts";
import { parseRecord } from "../../engine/session/journal/log-record.ts";

/** How many records are read for a title. The first record nearly always holds the first message. */
const FIRST_RECORDS = 2;

/** Returns the beginning of a session's first message; undefined if its first records hold none, or cannot be read. */
async function titleOf(store: Pick<Store, "read">, { key }: Pick<StoredSession, "key">): Promise<string | undefined> {
  try {
    for (const { body } of await store.read(key, { limit: FIRST_RECORDS })) {
      const record = parseRecord(body);
      if (record?.type !== "message") continue;
      const { label } = describeMessage(record.message);
      if (label !== "") return label;
    }
  } catch {
    // A session that is damaged or was deleted meanwhile must not hide the others: opening it gives the error.
  }
  return undefined;
}

/** How many sessions are read at the same time, because each takes a round trip to a database over a network. */
const AT_ONCE = 10;

/** Reads the titles of sessions, in the order of the sessions. */
export async function titlesOf(
  store: Pick<Store, "read">,
  sessions: readonly Pick<StoredSession, "key">[],
): Promise<readonly (string | undefined)[]> {
  const titles: (string | undefined)[] = [];
  for (let at = 0; at < sessions.length; at += AT_ONCE) {
    const batch = sessions.slice(at, at + AT_ONCE);
    titles.push(...(await Promise.all(batch.map((session) => titleOf(store, session)))));
  }
  return titles;
}
