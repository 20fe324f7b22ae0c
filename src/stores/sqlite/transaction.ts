import type { DatabaseSync } from "node:sqlite";

/** Runs `work` whole or not at all. */
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
    // After some failures, a full disk among them, SQLite has rolled back already.
  }
}
