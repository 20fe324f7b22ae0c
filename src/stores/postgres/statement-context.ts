import type { PoolClient } from "pg";
import { PalimpsestError } from "../../core/errors.ts";
import type { Database } from "./database.ts";

/** The database of a store's operations, and the names of its tables. */
export interface StatementContext {
  readonly database: Database;
  /** A table's name for SQL, with the schema. */
  readonly table: (name: TableName) => string;
}

export type TableName = "sessions" | "records" | "blobs" | "record_terms" | "locks" | "checkpoints" | "saved_states";

/** An SQL expression for the time of the database's clock, which all machines share. */
export const NOW_MS_SQL = millisecondsSql("clock_timestamp()");

/** An SQL expression for a time in whole milliseconds since the epoch. */
export function millisecondsSql(time: string): string {
  return `floor(extract(epoch FROM ${time}) * 1000)::bigint`;
}

/** Runs work in a transaction: commits it, or rolls it back where the work throws. */
export async function inTransaction<Value>(client: PoolClient, work: () => Promise<Value>): Promise<Value> {
  // each statement must see everything that was committed before it began, also after waiting for a lock
  await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  try {
    const value = await work();
    await client.query("COMMIT");
    return value;
  } catch (error) {
    // fails only where the connection is lost, and with it the transaction
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** The error for a session key without a session. */
export function noSession(sessionKey: number): PalimpsestError {
  return new PalimpsestError("not-found", `There is no session with the key ${sessionKey}. It may have been deleted.`);
}
