import type { PoolClient } from "pg";
import { inTransaction } from "../statement-context.ts";
import { type PartitionedTable, splitName } from "./partitioned-tables.ts";

/** The size of a batch: appends to its sessions wait while it is copied. */
const BATCH_RECORDS = 500;
const BATCH_SESSIONS = 100;
/** A blob is a piece of a request's body, some kilobytes. */
const BATCH_BLOBS = 500;

interface CopyOptions {
  readonly client: PoolClient;
  readonly tables: readonly PartitionedTable[];
  readonly onProgress: (line: string) => void;
}

interface SessionSize {
  readonly key: number;
  readonly version: number;
}

/** Copies the rows from before the triggers, in the order of the sessions' keys. Sessions that are created meanwhile are copied by the triggers alone. */
export async function copyRows(options: CopyOptions): Promise<void> {
  const { client, onProgress } = options;
  const { rows } = await client.query<{ newest: string }>("SELECT coalesce(max(key), 0) AS newest FROM sessions");
  const newest = Number(rows[0]?.newest);
  for (let after = await readProgress(client); ; ) {
    const batch = await nextBatch(client, { after, newest });
    const last = batch.at(-1);
    if (last === undefined) return;
    if (batch.length === 1 && last.version > BATCH_RECORDS) await copyLarge(options, last);
    else await copyBatch(options, batch);
    await client.query("UPDATE split_progress SET session_key = $1", [last.key]);
    after = last.key;
    onProgress(`copied the sessions up to ${after} of ${newest}`);
  }
}

async function readProgress(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ session_key: string }>("SELECT session_key FROM split_progress");
  return Number(rows[0]?.session_key ?? 0);
}

/** The next sessions that fit into a batch, or one that alone is larger; none at the end. */
async function nextBatch(
  client: PoolClient,
  { after, newest }: { readonly after: number; readonly newest: number },
): Promise<readonly SessionSize[]> {
  const { rows } = await client.query<{ key: string; version: string }>(
    "SELECT key, version FROM sessions WHERE key > $1 AND key <= $2 ORDER BY key LIMIT $3",
    [after, newest, BATCH_SESSIONS],
  );
  const batch: SessionSize[] = [];
  let records = 0;
  for (const row of rows) {
    const session = { key: Number(row.key), version: Number(row.version) };
    records += session.version;
    if (batch.length > 0 && records > BATCH_RECORDS) break;
    batch.push(session);
  }
  return batch;
}

/**
 * Copies a batch while it holds the locks of the sessions' rows: an append updates its session's row first, and a deletion deletes it first, so
 * that neither is half done in the batch. Rows that the triggers have copied already are deleted and copied again, so that each is there once.
 */
async function copyBatch({ client, tables }: CopyOptions, batch: readonly SessionSize[]): Promise<void> {
  await inTransaction(client, async () => {
    const keys = await lockSessions(client, batch);
    for (const table of tables) {
      await client.query(`DELETE FROM ${splitName(table)} WHERE session_key = ANY ($1::bigint[])`, [keys]);
      await client.query(
        `INSERT INTO ${splitName(table)} SELECT * FROM ${table.name} WHERE session_key = ANY ($1::bigint[])`,
        [keys],
      );
    }
  });
}

async function lockSessions(client: PoolClient, batch: readonly SessionSize[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ key: string }>(
    "SELECT key FROM sessions WHERE key = ANY ($1::bigint[]) ORDER BY key FOR NO KEY UPDATE",
    [batch.map(({ key }) => key)],
  );
  return rows.map(({ key }) => key);
}

/** Copies a large session in parts, so that its agent never waits for all of it. Records that were added since its size was read are copied by the triggers. */
async function copyLarge({ client, tables }: CopyOptions, session: SessionSize): Promise<void> {
  const byVersion = tables.filter(({ rowKey }) => rowKey === "version");
  for (let after = 0; after < session.version; after += BATCH_RECORDS) {
    await inTransaction(client, async () => {
      const [key] = await lockSessions(client, [session]);
      if (key === undefined) return;
      const values = [key, after, Math.min(after + BATCH_RECORDS, session.version)];
      const range = "session_key = $1 AND version > $2 AND version <= $3";
      for (const table of byVersion) {
        await client.query(`DELETE FROM ${splitName(table)} WHERE ${range}`, values);
        await client.query(`INSERT INTO ${splitName(table)} SELECT * FROM ${table.name} WHERE ${range}`, values);
      }
    });
  }
  for (const table of tables.filter(({ rowKey }) => rowKey === "name")) await copyNamed(client, table, session);
}

async function copyNamed(client: PoolClient, table: PartitionedTable, session: SessionSize): Promise<void> {
  let after: string | undefined = "";
  while (after !== undefined) after = await copyNamesAfter(client, table, { session, after });
}

/** Copies the next rows by name. Returns the last name that was copied; undefined where none is left, or the session was deleted. */
async function copyNamesAfter(
  client: PoolClient,
  table: PartitionedTable,
  { session, after }: { readonly session: SessionSize; readonly after: string },
): Promise<string | undefined> {
  return inTransaction(client, async () => {
    const [key] = await lockSessions(client, [session]);
    if (key === undefined) return undefined;
    const { rows } = await client.query<{ last: string | null }>(
      `WITH part AS (
         SELECT * FROM ${table.name} WHERE session_key = $1 AND name > $2 ORDER BY name LIMIT $3
       ), copied AS (
         INSERT INTO ${splitName(table)} SELECT * FROM part ON CONFLICT DO NOTHING
       )
       SELECT max(name) AS last FROM part`,
      [key, after, BATCH_BLOBS],
    );
    return rows[0]?.last ?? undefined;
  });
}
