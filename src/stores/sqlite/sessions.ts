import type { StoredSession, StoredState } from "../../core/ports/store.ts";
import type { Database } from "./open-database.ts";
import { headChecksum } from "./record-checksum.ts";
import { integerOf, type Row, textOf } from "./row.ts";
import { damaged } from "./store-error.ts";

// The ids of a session's records are in the range of its key · 2^32; see the first migration.
const SELECT = `
  SELECT key, id, version, rewrite_version, created_at, updated_at, checksum, coalesce((
    SELECT records.id & 0xffffffff FROM records
    WHERE records.id BETWEEN sessions.key << 32 AND sessions.key << 32 | 0xffffffff
    ORDER BY records.id DESC LIMIT 1
  ), 0) AS newest
  FROM sessions`;
const SELECT_BY_ID = `${SELECT} WHERE id = ?`;
const SELECT_BY_KEY = `${SELECT} WHERE key = ?`;
const SELECT_NEWEST = `${SELECT} ORDER BY write_order DESC LIMIT ?`;
const INSERT = `
  INSERT INTO sessions (id, version, rewrite_version, created_at, updated_at, checksum, write_order)
  SELECT ?, 0, 0, ?, ?, ?, coalesce(max(write_order), 0) + 1 FROM sessions
  RETURNING key`;
const UPDATE = `
  UPDATE sessions SET version = ?, rewrite_version = ?, updated_at = ?, checksum = ?,
    write_order = (SELECT max(write_order) + 1 FROM sessions)
  WHERE key = ?`;

/** The session with this id; undefined where there is none. Throws where its row is damaged, or records are missing. */
export function findSession(database: Database, sessionId: string): StoredSession | undefined {
  const row = database.statement(SELECT_BY_ID).get(sessionId);
  if (row !== undefined) return checkedSession(row, database);
  database.heads.assertNeverThere(sessionId);
  return undefined;
}

/** The session with this key; undefined where there is none. Throws as {@link findSession} does. */
export function sessionAt(database: Database, sessionKey: number): StoredSession | undefined {
  const row = database.statement(SELECT_BY_KEY).get(sessionKey);
  return row && checkedSession(row, database);
}

/** The sessions, those written to most recently first. Not verified: a damaged session must not hide the others, and opening it throws. */
export function listSessions(database: Database, limit: number): readonly StoredSession[] {
  const rows = database.statement(SELECT_NEWEST).all(limit);
  return rows.map((row) => toSession(row, database.path));
}

export function insertSession(database: Database, id: string, at: number): StoredSession {
  const checksum = headChecksum({ id, version: 0, rewriteVersion: 0 });
  const key = integerOf(database.statement(INSERT).get(id, at, at, checksum) ?? {}, "key", database.path);
  return { key, id, version: 0, rewriteVersion: 0, createdAt: at, updatedAt: at };
}

export function updateSession(database: Database, session: StoredSession): void {
  const { key, version, rewriteVersion, updatedAt } = session;
  database.statement(UPDATE).run(version, rewriteVersion, updatedAt, headChecksum(session), key);
  database.heads.note(session);
}

/** Deletes a session. Its blobs, locks, checkpoints and saved state are deleted by cascade. False where there was none. */
export function deleteSession(database: Database, sessionId: string): boolean {
  const row = database.statement("SELECT key FROM sessions WHERE id = ?").get(sessionId);
  if (row === undefined) return database.heads.forget({ id: sessionId });
  const key = integerOf(row, "key", database.path);
  const range = "BETWEEN :key << 32 AND :key << 32 | 0xffffffff";
  database.statement(`DELETE FROM record_terms WHERE rowid ${range}`).run({ key });
  database.statement(`DELETE FROM records WHERE id ${range}`).run({ key });
  database.statement("DELETE FROM sessions WHERE key = ?").run(key);
  database.heads.forget({ id: sessionId, key });
  return true;
}

function checkedSession(row: Row, { path, heads }: Database): StoredSession {
  const session = toSession(row, path);
  const newest = integerOf(row, "newest", path);
  const name = `the session ${JSON.stringify(session.id)}`;
  if (newest !== session.version) {
    throw damaged(path, `${name} should end with record ${session.version}, but ends with ${newest}`);
  }
  if (row.checksum !== headChecksum(session)) throw damaged(path, `the entry of ${name} is not what was written`);
  heads.assertWhole(session);
  return session;
}

function toSession(row: Row, path: string): StoredSession {
  return {
    key: integerOf(row, "key", path),
    id: textOf(row, "id", path),
    version: integerOf(row, "version", path),
    rewriteVersion: integerOf(row, "rewrite_version", path),
    createdAt: integerOf(row, "created_at", path),
    updatedAt: integerOf(row, "updated_at", path),
  };
}

const SAVE_STATE = `
  INSERT INTO saved_states (session_key, version, body) VALUES (?, ?, ?)
  ON CONFLICT (session_key) DO UPDATE SET version = excluded.version, body = excluded.body
  WHERE excluded.version >= saved_states.version`;
const SELECT_STATE = "SELECT version, body FROM saved_states WHERE session_key = ?";

export function replaceState(database: Database, sessionKey: number, { version, body }: StoredState): void {
  database.statement(SAVE_STATE).run(sessionKey, version, body);
}

/** The saved state; undefined where there is none, or where its row is damaged: it can be derived again. */
export function selectState(database: Database, sessionKey: number): StoredState | undefined {
  const { version, body } = database.statement(SELECT_STATE).get(sessionKey) ?? {};
  return typeof version === "number" && typeof body === "string" ? { version, body } : undefined;
}
