import { setTimeout as delay } from "node:timers/promises";
import type { PoolClient } from "pg";
import { PalimpsestError } from "../../../core/errors.ts";
import { isServerError } from "../describe-failure.ts";
import { quoteName } from "../schema-name.ts";
import { inTransaction } from "../statement-context.ts";
import { copyRows } from "./copy-rows.ts";
import {
  formerName,
  makeSplitSql,
  PARTITION_COUNT,
  PARTITIONED_TABLES,
  type PartitionedTable,
  splitName,
} from "./partitioned-tables.ts";

export interface SplitOptions {
  readonly client: PoolClient;
  readonly schema: string;
  readonly onProgress: (line: string) => void;
}

/** Describes the split of these tables; undefined where there are none. */
export function pendingSplit(tables: readonly PartitionedTable[]): string | undefined {
  if (tables.length === 0) return undefined;
  return `split ${tables.map(({ name }) => name).join(", ")} into ${PARTITION_COUNT} partitions by session`;
}

/** The tables that are not partitioned yet. */
export async function plainTables(client: PoolClient, schema: string): Promise<readonly PartitionedTable[]> {
  const { rows } = await client.query<{ relname: string }>(
    `SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relkind = 'r' AND relname = ANY ($2::text[])`,
    [schema, PARTITIONED_TABLES.map(({ name }) => name)],
  );
  const plain = new Set(rows.map(({ relname }) => relname));
  return PARTITIONED_TABLES.filter(({ name }) => plain.has(name));
}

/**
 * Partitions the tables that are not, while other processes read and write: triggers write every change to both tables, older rows are copied
 * session by session, and then the names are exchanged under a lock of milliseconds. After an interruption, the next call resumes the copy.
 * Returns the steps that were done. Throws "conflict" where another process is doing the same.
 */
export async function splitOnline({ client, schema, onProgress }: SplitOptions): Promise<readonly string[]> {
  const lock = `palimpsest partitions of ${schema}`;
  const { rows } = await client.query<{ taken: boolean }>(
    "SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken",
    [lock],
  );
  if (rows[0]?.taken !== true) throw alreadyAtWork();
  try {
    await client.query(`SET search_path TO ${quoteName(schema)}`);
    const tables = await plainTables(client, schema);
    const done = pendingSplit(tables);
    if (done === undefined) return [];
    await prepare(client, tables);
    await copyRows({ client, tables, onProgress });
    onProgress("comparing both");
    await assertSame(client, tables);
    await exchange(client, tables);
    return [done];
  } finally {
    await client.query("RESET search_path");
    await client.query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [lock]);
  }
}

/** Creates the copies and their triggers. The progress table is created last: where it exists, all else does. */
async function prepare(client: PoolClient, tables: readonly PartitionedTable[]): Promise<void> {
  const { rows } = await client.query("SELECT 1 WHERE to_regclass('split_progress') IS NOT NULL");
  if (rows.length === 0) {
    await retryUntilLocked(client, async () => {
      for (const table of tables) {
        await client.query(makeSplitSql(table));
        // Deletions during the split find rows by this index; the final table does not need it.
        if (table.name === "record_terms") {
          await client.query(`CREATE INDEX record_terms_split_place ON ${splitName(table)} (session_key, version)`);
        }
        await client.query(startMirroringSql(table));
      }
      await client.query("CREATE TABLE split_progress (session_key bigint NOT NULL)");
      await client.query("INSERT INTO split_progress VALUES (0)");
    });
  }
  await indexTermRows(client, tables);
}

/** Creates an index by which the copy finds the rows of `record_terms`, which has none on session and version. */
async function indexTermRows(client: PoolClient, tables: readonly PartitionedTable[]): Promise<void> {
  if (!tables.some(({ name }) => name === "record_terms")) return;
  const name = "record_terms_place";
  const { rows } = await client.query<{ valid: boolean }>(
    "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)",
    [name],
  );
  if (rows[0]?.valid === true) return;
  // an invalid index is left over where the server or a process ended while it was built
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await client.query(`CREATE INDEX CONCURRENTLY ${name} ON record_terms (session_key, version)`);
}

/** Compares the tables with their copies. Triggers write to both in one transaction, so that a single statement sees them in the same state. */
async function assertSame(client: PoolClient, tables: readonly PartitionedTable[]): Promise<void> {
  for (const table of tables) {
    const sum = (name: string) =>
      `(SELECT row(count(*), coalesce(bit_xor(${table.fingerprint}), 0), coalesce(sum(session_key), 0))::text FROM ${name})`;
    const { rows } = await client.query<{ plain: string; split: string }>(
      `SELECT ${sum(table.name)} AS plain, ${sum(splitName(table))} AS split`,
    );
    if (rows[0]?.plain === rows[0]?.split) continue;
    throw new PalimpsestError(
      "store-failed",
      `The copy of ${table.name} is not the same as the table (${rows[0]?.plain} and ${rows[0]?.split}), so nothing was exchanged. ` +
        "Drop the tables whose names end in _split with CASCADE, and split_progress, then migrate again.",
    );
  }
}

async function exchange(client: PoolClient, tables: readonly PartitionedTable[]): Promise<void> {
  await retryUntilLocked(client, async () => {
    await client.query(`LOCK TABLE ${tables.map(({ name }) => name).join(", ")} IN ACCESS EXCLUSIVE MODE`);
    await client.query("DROP INDEX IF EXISTS record_terms_split_place");
    for (const table of tables) {
      await client.query(stopMirroringSql(table));
      await client.query(`ALTER TABLE ${table.name} RENAME TO ${formerName(table)}`);
      await client.query(`ALTER TABLE ${splitName(table)} RENAME TO ${table.name}`);
    }
    await client.query("DROP TABLE split_progress");
  });
  await inTransaction(client, async () => {
    await client.query(`DROP TABLE ${tables.map(formerName).join(", ")}`);
  });
}

function alreadyAtWork(): PalimpsestError {
  return new PalimpsestError(
    "conflict",
    "Another palimpsest store migrate is at work on this schema. Wait for it; to go on after it was stopped, run it again.",
  );
}

/**
 * The SQL of triggers that repeat insertions and deletions on the copy, in the same transaction, once for each statement. Their functions
 * have a search path of their own, because writers have another one.
 */
function startMirroringSql(table: PartitionedTable): string {
  const { name, rowKey } = table;
  const split = splitName(table);
  return `
    CREATE FUNCTION ${name}_add() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $add$
      BEGIN INSERT INTO ${split} SELECT * FROM added; RETURN NULL; END $add$;
    CREATE FUNCTION ${name}_delete() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $delete$
      BEGIN
        DELETE FROM ${split} AS split USING deleted
        WHERE split.session_key = deleted.session_key AND split.${rowKey} = deleted.${rowKey};
        RETURN NULL;
      END $delete$;
    CREATE FUNCTION ${name}_change() RETURNS trigger LANGUAGE plpgsql AS $change$
      BEGIN RAISE EXCEPTION 'rows of ${name} cannot be changed while the table is being split'; END $change$;
    CREATE TRIGGER ${name}_add AFTER INSERT ON ${name} REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION ${name}_add();
    CREATE TRIGGER ${name}_delete AFTER DELETE ON ${name} REFERENCING OLD TABLE AS deleted
      FOR EACH STATEMENT EXECUTE FUNCTION ${name}_delete();
    CREATE TRIGGER ${name}_change BEFORE UPDATE OR TRUNCATE ON ${name}
      FOR EACH STATEMENT EXECUTE FUNCTION ${name}_change()`;
}

/** The SQL that drops the functions, and with them the triggers. */
function stopMirroringSql({ name }: PartitionedTable): string {
  return `DROP FUNCTION ${name}_add, ${name}_delete, ${name}_change CASCADE`;
}

/** While a table lock waits, all later statements wait behind it: for this long at most, and less than PostgreSQL's deadlock_timeout. */
const LOCK_TIMEOUT_MS = 300;
const PAUSE_MS = 200;
const MAX_ATTEMPTS = 300;

/** Runs work that locks whole tables in a transaction, and retries it where it does not get the locks in time. */
async function retryUntilLocked(client: PoolClient, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await inTransaction(client, async () => {
        await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        await work();
      });
      return;
    } catch (error) {
      const isBusy = isServerError(error) && error.code === "55P03";
      if (!isBusy || attempt === MAX_ATTEMPTS) throw error;
    }
    await delay(PAUSE_MS);
  }
}
