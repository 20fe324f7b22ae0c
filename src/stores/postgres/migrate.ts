import type { PoolClient } from "pg";
import { PalimpsestError } from "../../core/errors.ts";
import { MIGRATIONS } from "./migrations/index.ts";
import { quoteName } from "./schema-name.ts";
import { inTransaction } from "./transaction.ts";

const NEWEST_VERSION = MIGRATIONS.length;

/** Brings the tables to the newest version; safe where several processes start at once. "store-too-new" where they are newer. */
export async function migrate(client: PoolClient, schema: string): Promise<void> {
  while ((await readVersion(client, schema)) < NEWEST_VERSION) {
    await inTransaction(client, () => applyNext(client, schema));
  }
}

async function applyNext(client: PoolClient, schema: string): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`palimpsest migrations of ${schema}`]);
  await makeVersionTable(client, schema);
  // another process may have applied it while this one waited for the lock
  const next = MIGRATIONS[await readVersion(client, schema)];
  if (next === undefined) return;
  await client.query(`SET LOCAL search_path TO ${quoteName(schema)}`);
  await client.query(next.sql);
  await client.query("INSERT INTO schema_versions (version, applied_at) VALUES ($1, clock_timestamp())", [
    next.version,
  ]);
}

async function makeVersionTable(client: PoolClient, schema: string): Promise<void> {
  const name = quoteName(schema);
  const { rows } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  // even with IF NOT EXISTS it asks for a privilege that a schema made by an administrator makes needless
  if (rows.length === 0) await client.query(`CREATE SCHEMA ${name}`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${name}.schema_versions (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)`,
  );
}

async function readVersion(client: PoolClient, schema: string): Promise<number> {
  const table = `${quoteName(schema)}.schema_versions`;
  const found = await client.query<{ exists: boolean }>("SELECT to_regclass($1) IS NOT NULL AS exists", [table]);
  if (found.rows[0]?.exists !== true) return 0;
  const { rows } = await client.query<{ version: number }>(
    `SELECT coalesce(max(version), 0)::integer AS version FROM ${table}`,
  );
  const version = rows[0]?.version ?? 0;
  if (version <= NEWEST_VERSION) return version;
  throw new PalimpsestError(
    "store-too-new",
    `The schema "${schema}" has version ${version}, and this version of palimpsest knows ${NEWEST_VERSION} at most. ` +
      "Update palimpsest, or use another schema.",
  );
}
