import type { DatabaseSync } from "node:sqlite";

/** Runs `work` in a transaction: commits it, or rolls it back where the work throws. */
export function inTransaction<Result>(
  database: DatabaseSync,
  begin: "BEGIN" | "BEGIN IMMEDIATE",
  work: () => Result,
): Result {
  database.exec(begin);
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // After some failures, such as a full disk, SQLite has rolled back already.
  }
}
