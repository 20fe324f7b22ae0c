import type { Store, StoredSession } from "../../core/ports/store.ts";
import { parseRecord } from "../../engine/session/journal/log-record.ts";
import { REWIND_TERM } from "../../engine/session/journal/stored-form.ts";

/** A rewind of a session to an earlier version. */
export interface SessionRewind {
  /** The version of the rewind's own record. */
  readonly version: number;
  readonly at: number;
  readonly toVersion: number;
  /** Whether it undid an earlier rewind. */
  readonly isUndo: boolean;
  /** How many messages were appended between `toVersion` and the rewind; undefined if there are too many records to read. */
  readonly messages: number | undefined;
}

/** The most rewinds that are listed, over all sessions. */
const MOST_REWINDS = 100;
const MOST_RECORDS = 2_000;
const MESSAGE_START = '{"type":"message"';

/** Returns the rewinds of sessions by the sessions' keys, the newest first. The store's search finds their records, so no session is read for it. */
export async function rewindsOf(
  store: Pick<Store, "search" | "read">,
  sessions: readonly Pick<StoredSession, "key">[],
): Promise<ReadonlyMap<number, readonly SessionRewind[]>> {
  const listed = new Set(sessions.map(({ key }) => key));
  const rewinds = new Map<number, SessionRewind[]>();
  for (const { sessionKey, version } of await store.search([REWIND_TERM], { limit: MOST_REWINDS })) {
    if (!listed.has(sessionKey)) continue;
    const rewind = await readRewind(store, sessionKey, version);
    if (rewind !== undefined) rewinds.set(sessionKey, [...(rewinds.get(sessionKey) ?? []), rewind]);
  }
  return rewinds;
}

async function readRewind(
  store: Pick<Store, "read">,
  sessionKey: number,
  version: number,
): Promise<SessionRewind | undefined> {
  try {
    const [stored] = await store.read(sessionKey, { afterVersion: version - 1, limit: 1 });
    const record = stored && parseRecord(stored.body);
    if (stored === undefined || record?.type !== "rewind") return undefined;
    const { toVersion, isUndo } = record;
    const between = { afterVersion: toVersion, limit: version - 1 - toVersion };
    return { version, at: stored.at, toVersion, isUndo, messages: await countMessages(store, sessionKey, between) };
  } catch {
    // A session that is damaged or was deleted meanwhile must not hide the others: opening it gives the error.
    return undefined;
  }
}

async function countMessages(
  store: Pick<Store, "read">,
  sessionKey: number,
  between: { readonly afterVersion: number; readonly limit: number },
): Promise<number | undefined> {
  if (between.limit > MOST_RECORDS) return undefined;
  if (between.limit === 0) return 0;
  const records = await store.read(sessionKey, between);
  return records.filter(({ body }) => body.startsWith(MESSAGE_START)).length;
}
