import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, describe, onTestFinished, test } from "vitest";
import { DOOR_VARIABLE } from "./postgres-setup.ts";

/** The server of a user, in place of one that the tests start. */
const URL_VARIABLE = "PALIMPSEST_TEST_POSTGRES_URL";

/** Groups tests that need a PostgreSQL; skips them, and says why, where there is none and none can be started. */
export async function describePostgres(name: string, define: (connectionString: string) => void): Promise<void> {
  const found = await findPostgres();
  if ("connectionString" in found) {
    describe(name, () => {
      afterAll(() => dropEmptied(found.connectionString));
      define(found.connectionString);
    });
    return;
  }
  console.warn(`SKIPPED: ${name}. ${found.reason}\nSet ${URL_VARIABLE} to use a server of your own.`);
  describe.skip(name, () => {
    test("needs a PostgreSQL server", () => undefined);
  });
}

/** The server that the tests may use, or why there is none. */
export async function findPostgres(): Promise<{ readonly connectionString: string } | { readonly reason: string }> {
  const connectionString = process.env[URL_VARIABLE];
  if (connectionString) return { connectionString };
  const door = process.env[DOOR_VARIABLE];
  if (door === undefined) return { reason: "test/support/postgres-setup.ts is not in vitest's globalSetup." };
  const response = await fetch(door);
  const answer = await response.text();
  return response.ok ? { connectionString: answer } : { reason: answer };
}

/** The name of a schema that nobody else uses; what the test makes of it is dropped at its end. */
export function freshSchema(connectionString: string): string {
  const schema = `test_${randomUUID()}`;
  onTestFinished(async () => {
    await runSql(connectionString, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  });
  return schema;
}

/** The address of a database that nobody else uses, for programs that choose no schema; dropped at the end of the test. */
export async function freshDatabase(connectionString: string): Promise<string> {
  const name = `test_${randomUUID()}`;
  await runSql(connectionString, `CREATE DATABASE "${name}" ENCODING 'UTF8' TEMPLATE template0`);
  onTestFinished(async () => {
    await runSql(connectionString, `DROP DATABASE "${name}" WITH (FORCE)`);
  });
  const address = new URL(connectionString);
  address.pathname = `/${name}`;
  return address.href;
}

/** Schemas of tests that ended well: their tables are there, and empty. */
const emptied: string[] = [];

/**
 * A schema that nobody else uses, as {@link freshSchema}, but with its tables often there already: making and dropping them takes longer than
 * most tests. For tests that leave the tables as they are, whatever they do to rows.
 */
export function emptySchema(connectionString: string): string {
  const schema = emptied.pop() ?? `test_${randomUUID()}`;
  onTestFinished(async () => {
    await runSql(connectionString, emptyTablesSql(schema));
    emptied.push(schema);
  });
  return schema;
}

function emptyTablesSql(schema: string): string {
  return `DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = '${schema}' AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'schema_versions'
    LOOP EXECUTE format('DELETE FROM %I.%I', '${schema}', name); END LOOP;
  END $$`;
}

async function dropEmptied(connectionString: string): Promise<void> {
  for (const schema of emptied.splice(0)) await runSql(connectionString, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
}

/** Runs SQL past the store, as an administrator would. */
export async function runSql(
  connectionString: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text, values.length === 0 ? undefined : [...values])).rows;
  } finally {
    await client.end();
  }
}
