import type { Database } from "./database.ts";

/** What the operations of the store work with. */
export interface StatementContext {
  readonly database: Database;
  /** A table's name as it stands in SQL. */
  readonly table: (name: TableName) => string;
}

export type TableName = "sessions" | "records" | "blobs" | "record_terms" | "locks" | "checkpoints";

/** The time of the database's clock, which all machines share, in milliseconds. */
export const NOW_MS_SQL = millisecondsSql("clock_timestamp()");

/** A time of the database in whole milliseconds. */
export function millisecondsSql(time: string): string {
  return `floor(extract(epoch FROM ${time}) * 1000)::bigint`;
}
