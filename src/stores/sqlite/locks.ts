import type { LockName, LockOutcome, LockRelease, LockRequest, StoredLock } from "../../core/ports/store.ts";
import type { Database } from "./open-database.ts";
import { integerOf, type Row, textOf } from "./row.ts";

const TAKE = `
  INSERT INTO locks (session_key, name, holder, expires_at) VALUES (:key, :name, :holder, :expiresAt)
  ON CONFLICT (session_key, name) DO UPDATE SET holder = :holder, expires_at = :expiresAt
  WHERE holder = :holder OR expires_at <= :at`;
const SELECT = "SELECT holder, expires_at FROM locks WHERE session_key = ? AND name = ?";
const RELEASE = `
  DELETE FROM locks WHERE session_key = ? AND name = ? AND holder = coalesce(?, holder) AND expires_at > ?`;

export function takeLock(database: Database, request: LockRequest, at: number): LockOutcome {
  const { sessionKey, name, holder, durationMs } = request;
  const expiresAt = at + durationMs;
  const taken = database.statement(TAKE).run({ key: sessionKey, name, holder, expiresAt, at });
  if (Number(taken.changes) > 0) return { type: "acquired", expiresAt };
  return { type: "held", ...lockOf(database, database.statement(SELECT).get(sessionKey, name) ?? {}) };
}

/** The holder of a lock; undefined where it is free or has expired. */
export function readLock(database: Database, { sessionKey, name }: LockName, at: number): StoredLock | undefined {
  const row = database.statement(SELECT).get(sessionKey, name);
  const lock = row && lockOf(database, row);
  return lock !== undefined && lock.expiresAt > at ? lock : undefined;
}

function lockOf({ path }: Database, row: Row): StoredLock {
  return { holder: textOf(row, "holder", path), expiresAt: integerOf(row, "expires_at", path) };
}

export function dropLock(database: Database, { sessionKey, name, holder }: LockRelease, at: number): boolean {
  return Number(database.statement(RELEASE).run(sessionKey, name, holder ?? null, at).changes) > 0;
}
