import type { PoolClient } from "pg";

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
