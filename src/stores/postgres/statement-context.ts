import type { PoolClient } from "pg";
import { PalimpsestError } from "../../core/errors.ts";
import type { Database } from "./database.ts";

/** What the operations of the store work with. */
export interface StatementContext {
  readonly database: Database;
  /** A table's name as it stands in SQL. */
  readonly table: (name: TableName) => string;
}

export type TableName = "sessions" | "records" | "blobs" | "record_terms" | "locks" | "checkpoints" | "saved_states";

/** The time of the database's clock, which all machines share, in milliseconds. */
export const NOW_MS_SQL = millisecondsSql("clock_timestamp()");

/** A time of the database in whole milliseconds. */
export function millisecondsSql(time: string): string {
  return `floor(extract(epoch FROM ${time}) * 1000)::bigint`;
}

/** Commits what the work did, or undoes all of it. */
export async function inTransaction<Value>(client: PoolClient, work: () => Promise<Value>): Promise<Value> {
  // each statement must see what was committed before it began, also after waiting for a lock
  await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  try {
    const value = await work();
    await client.query("COMMIT");
    return value;
  } catch (error) {
    // fails only where the connection is gone, and the transaction with it
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** The error where a session key leads nowhere. */
export function noSession(sessionKey: number): PalimpsestError {
  return new PalimpsestError("not-found", `There is no session with the key ${sessionKey}. It may have been deleted.`);
}
