import type { Message } from "../../core/message/message.ts";
import type { Store, StoredSession } from "../../core/ports/store.ts";
import { describeMessage } from "../../core/strata/describe-message.ts";
import { describeRequest } from "../../core/strata/describe-request.ts";
import { parseRecord } from "../../engine/session/journal/log-record.ts";

/** How many records are read for a title: the first ones nearly always hold what a person asked for; where an agent put rules before it, more are. */
const RECORDS = [2, 8];

type Reader = Pick<Store, "read">;

/**
 * Returns the beginning of what a person asked for first in a session, or else of its first message; undefined if its first records hold no text, or
 * cannot be read.
 */
async function titleOf(store: Reader, { key }: Pick<StoredSession, "key">): Promise<string | undefined> {
  try {
    let messages: readonly Message[] = [];
    for (const limit of RECORDS) {
      messages = await messagesIn(store, key, limit);
      const [asked] = messages.flatMap((message) => describeRequest(message) ?? []);
      if (asked !== undefined) return asked;
    }
    return messages.map((message) => describeMessage(message).label).find((label) => label !== "");
  } catch {
    // A session that is damaged or was deleted meanwhile must not hide the others: opening it gives the error.
    return undefined;
  }
}

async function messagesIn(store: Reader, key: number, limit: number): Promise<readonly Message[]> {
  const records = await store.read(key, { limit });
  return records.flatMap(({ body }) => {
    const record = parseRecord(body);
    return record?.type === "message" ? [record.message] : [];
  });
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
