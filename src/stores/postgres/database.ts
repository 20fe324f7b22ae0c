import type { PoolClient, QueryResultRow } from "pg";
import { PalimpsestError } from "../../core/errors.ts";
import { type ConnectionPool, type ConnectionPoolOptions, openPool } from "./connection-pool.ts";
import { MIGRATIONS } from "./migrations.ts";
import { quoteName } from "./schema-name.ts";
import { inTransaction } from "./statement-context.ts";

/** Runs statements on a database whose schema is up to date. Every failure is a PalimpsestError. */
export interface Database {
  /** Runs a statement that changes nothing. */
  readonly read: RunStatement;
  /** Runs one statement, atomically. */
  readonly write: RunStatement;
  /** Runs several statements, atomically. */
  transaction<Value>(work: (run: RunStatement) => Promise<Value>): Promise<Value>;
  /** Runs statements outside of any transaction, such as those that PostgreSQL refuses to run in one. */
  alone<Value>(work: (client: PoolClient) => Promise<Value>): Promise<Value>;
  /** The version of the schema before it was brought up to date. */
  versionBefore(): Promise<number>;
  /** Waits for running statements, then closes all connections. Nothing can be run afterwards. */
  close(): Promise<void>;
}

export type RunStatement = <Row extends QueryResultRow>(
  statement: Statement,
  values: readonly unknown[],
) => Promise<readonly Row[]>;

/** A prepared statement: the server parses the text once for each connection, and finds it by its name from then on. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface DatabaseOptions extends ConnectionPoolOptions {
  readonly schema: string;
}

/** A database that connects, and brings the schema up to date, when it is first used. */
export function openDatabase(options: DatabaseOptions): Database {
  let opening: Promise<OpenedPool> | undefined;
  let closing: Promise<void> | undefined;
  const inFlight = new Set<Promise<unknown>>();

  function opened(): Promise<OpenedPool> {
    opening ??= openMigrated(options).catch((error: unknown) => {
      // the next call tries again: the server may be up by then
      opening = undefined;
      throw error;
    });
    return opening;
  }

  async function run<Value>(kind: "reading" | "writing", work: (client: PoolClient) => Promise<Value>): Promise<Value> {
    if (closing !== undefined) throw new PalimpsestError("store-failed", "The store is closed. Open another one.");
    const running = opened().then(({ pool }) => pool.use(kind, work));
    inFlight.add(running);
    return running.finally(() => inFlight.delete(running));
  }

  async function close(): Promise<void> {
    await Promise.allSettled(inFlight);
    await (await opening)?.pool.end();
  }

  return {
    read: (statement, values) => run("reading", (client) => runStatement(client, statement, values)),
    write: (statement, values) => run("writing", (client) => runStatement(client, statement, values)),
    transaction: (work) =>
      run("writing", (client) =>
        inTransaction(client, () => work((statement, values) => runStatement(client, statement, values))),
      ),
    alone: (work) => run("writing", work),
    versionBefore: async () => (await opened()).versionBefore,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

interface OpenedPool {
  readonly pool: ConnectionPool;
  readonly versionBefore: number;
}

async function openMigrated(options: DatabaseOptions): Promise<OpenedPool> {
  const pool = await openPool(options);
  try {
    const versionBefore = await pool.use("reading", (client) => readVersion(client, options.schema));
    await pool.use("writing", (client) => migrate(client, options.schema));
    return { pool, versionBefore };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function runStatement<Row extends QueryResultRow>(
  client: PoolClient,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>({ name, text, values: [...values] });
  return rows;
}

/** The schema version that this code works with. */
export const NEWEST_VERSION = MIGRATIONS.length;

/** Brings the schema to the newest version; several processes may do so at once. Throws "store-too-new" where the schema is newer. */
async function migrate(client: PoolClient, schema: string): Promise<void> {
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
  // CREATE SCHEMA IF NOT EXISTS needs a privilege even where the schema exists, and an administrator may have created it
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
