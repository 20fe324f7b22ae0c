import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { describePostgres, freshSchema, runSql } from "../../../../test/support/postgres-database.ts";
import type { Store } from "../../../core/ports/store.ts";
import { postgresStore } from "../index.ts";
import { PARTITIONED_TABLES } from "./partitioned-tables.ts";

/** PostgreSQL plans a prepared statement without its values from the sixth time on. */
const TIMES = 8;

await describePostgres("what a session's statements look into", (connectionString) => {
  /** Does something with a store of its own; resolves when the server has counted all that its connections did. */
  async function counted(schema: string, use: (store: Store) => Promise<void>): Promise<void> {
    const application = randomUUID();
    const address = new URL(connectionString);
    address.searchParams.set("application_name", application);
    const store = postgresStore({ connectionString: address.href, schema });
    await use(store);
    await store.close();
    // A connection tells what it counted before it is gone.
    const sql = `SELECT count(*)::integer AS open FROM pg_stat_activity WHERE application_name = '${application}'`;
    await expect.poll(async () => (await runSql(connectionString, sql))[0]?.open).toBe(0);
  }

  /** How often each partition was looked into, those that were. */
  async function scans(schema: string): Promise<ReadonlyMap<string, number>> {
    const rows = await runSql(
      connectionString,
      `SELECT relname, (coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::integer AS scans
       FROM pg_stat_user_tables WHERE schemaname = '${schema}' AND relname ~ '_[0-9][0-9]$'`,
    );
    return new Map(rows.map(({ relname, scans: count }) => [String(relname), Number(count)]));
  }

  const tableOf = (partition: string) => partition.slice(0, -3);

  test("is one partition of each table, also where a statement is planned without its values", async () => {
    const schema = freshSchema(connectionString);
    let key = 0;
    await counted(schema, async (store) => {
      for (let other = 0; other < 40; other++) await store.open(`other ${other}`);
      ({ key } = await store.open("task"));
    });
    const before = await scans(schema);
    await counted(schema, async (store) => {
      for (let time = 0; time < TIMES; time++) {
        const blobs = [{ name: `b${time}`, bytes: new Uint8Array([time]) }];
        await store.append(key, [{ body: "{}", terms: ["lamp", `n${time}`], blobs }]);
        await store.append(key, [{ body: "{}" }], { expectedVersion: 2 * time + 1 });
        await store.read(key);
        await store.read(key, { afterVersion: time, limit: 1 });
        await store.readBlobs(key, [`b${time}`]);
        await store.search(["lamp"], { sessionKey: key, limit: 5 });
        await store.savedStates?.save(key, { version: time + 1, body: "state" });
        await store.savedStates?.read(key);
      }
    });
    const looked = [...(await scans(schema))].filter(([name, count]) => count > (before.get(name) ?? 0));
    const tables = looked.map(([name]) => tableOf(name)).toSorted();
    expect(tables).toEqual(PARTITIONED_TABLES.map(({ name }) => name).toSorted());
  });

  test("would be seen: a search of all sessions looks into every partition of its terms", async () => {
    const schema = freshSchema(connectionString);
    await counted(schema, async (store) => void (await store.open("task")));
    const before = await scans(schema);
    await counted(schema, async (store) => void (await store.search(["lamp"])));
    const looked = [...(await scans(schema))].filter(([name, count]) => count > (before.get(name) ?? 0));
    expect(looked.filter(([name]) => tableOf(name) === "record_terms")).toHaveLength(16);
  });
});
