import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { describePostgres, freshSchema, runSql } from "../../../../test/support/postgres-database.ts";
import type { MaintainedStore, NewRecord, Store, StoredRecord } from "../../../core/ports/store.ts";
import { postgresStore } from "../index.ts";
import { MIGRATIONS } from "../migrations.ts";

const PLAIN_VERSION = 4;

await describePostgres("splitting the tables of a database in use", (connectionString) => {
  /** As a version of ours without partitions left it: its tables, with one session in them. */
  async function plainDatabase(): Promise<{ readonly schema: string; readonly open: () => MaintainedStore }> {
    const schema = freshSchema(connectionString);
    await runSql(connectionString, `CREATE SCHEMA "${schema}"`);
    const made = MIGRATIONS.slice(0, PLAIN_VERSION).map(
      ({ version, sql }) => `${sql}; INSERT INTO schema_versions VALUES (${version}, now());`,
    );
    const versions = "CREATE TABLE schema_versions (version integer PRIMARY KEY, applied_at timestamptz NOT NULL);";
    const filler = "INSERT INTO record_terms VALUES (0, 0, '''session 0''');";
    const text = [`SET search_path TO "${schema}";`, versions, ...made, filler].join("\n");
    await runSql(connectionString, text);
    const open = () => {
      const store = postgresStore({ connectionString, schema, maxConnections: 4 });
      onTestFinished(() => store.close());
      return store;
    };
    await open().list();
    await runSql(connectionString, `DELETE FROM "${schema}".record_terms`);
    return { schema, open };
  }

  async function kindOf(schema: string, name: string): Promise<unknown> {
    const rows = await runSql(
      connectionString,
      `SELECT relkind FROM pg_class WHERE oid = '"${schema}".${name}'::regclass`,
    );
    return rows[0]?.relkind;
  }

  const recordOf = (id: string, index: number): NewRecord => ({
    body: JSON.stringify({ of: id, index, text: "x".repeat(index % 700) }),
    terms: [`of-${id}`, `word-${index}`],
    isRewrite: index % 50 === 49,
    blobs: index % 5 === 0 ? [{ name: `b${index}`, bytes: new Uint8Array([index % 256, 1, 2]) }] : [],
  });

  async function fill(store: Store, id: string, count: number): Promise<void> {
    const { key } = await store.open(id);
    for (let start = 0; start < count; start += 200) {
      const part = Array.from({ length: Math.min(200, count - start) }, (_, index) => recordOf(id, start + index));
      await store.append(key, part);
    }
  }

  async function bodiesOf(store: Store, id: string): Promise<readonly StoredRecord["body"][]> {
    return (await store.read((await store.open(id)).key)).map(({ body }) => body);
  }

  test("a new database has split tables from the start, and nothing is pending", async () => {
    const schema = freshSchema(connectionString);
    const store = postgresStore({ connectionString, schema });
    onTestFinished(() => store.close());
    expect(await store.maintenance.check()).toMatchObject({ pending: [], problems: [] });
    expect(await Promise.all(["records", "record_terms", "blobs"].map((name) => kindOf(schema, name)))).toEqual([
      "p",
      "p",
      "p",
    ]);
    expect(await store.maintenance.migrate()).toMatchObject({ steps: expect.arrayContaining(["schema 5"]) });
  });

  test("sessions that are written to, made and deleted all the while lose nothing and keep their bytes", async () => {
    const { schema, open } = await plainDatabase();
    const [store, other, operator] = [open(), open(), open()];
    expect(await kindOf(schema, "records")).toBe("r");
    for (let index = 0; index < 30; index++) await fill(store, `small-${index}`, 3 + (index % 9));
    await fill(store, "large", 1_700);
    await fill(store, "written", 40);
    await fill(store, "doomed", 1_200);
    const before = new Map<string, readonly string[]>();
    for (const { id } of await store.list({ limit: 1_000 })) before.set(id, await bodiesOf(store, id));
    expect(await store.maintenance.check()).toMatchObject({ pending: [expect.stringContaining("16 partitions")] });

    let isOver = false;
    const acknowledged = new Map<string, string[]>();
    async function write(through: Store, id: string): Promise<void> {
      const { key, version } = await through.open(id);
      const bodies = acknowledged.get(id) ?? [];
      acknowledged.set(id, bodies);
      for (let index = version; !isOver; index++) {
        const record = recordOf(id, index);
        expect(await through.append(key, [record], { expectedVersion: index })).toMatchObject({ type: "appended" });
        bodies.push(record.body);
        // read like an agent's next request: through statements that were prepared before the exchange
        expect((await through.read(key, { afterVersion: index })).map(({ body }) => body)).toEqual([record.body]);
        expect(await through.search([`word-${index}`], { sessionKey: key })).toMatchObject([{ version: index + 1 }]);
      }
    }
    async function makeAndDelete(): Promise<void> {
      expect(await other.delete("doomed")).toBe(true);
      for (let index = 0; !isOver; index++) {
        await fill(other, `new-${index}`, 2);
        await fill(other, "brief", 3);
        expect(await other.delete("brief")).toBe(true);
      }
    }
    const lines: string[] = [];
    const writing = Promise.all([
      write(store, "written"),
      write(other, "large"),
      write(other, "fresh"),
      makeAndDelete(),
    ]);
    const migrated = operator.maintenance.migrate({ onProgress: (line) => lines.push(line) }).finally(() => {
      isOver = true;
    });
    const [{ steps }] = await Promise.all([migrated, writing]);
    expect(steps).toEqual([expect.stringMatching(/^split records, record_terms, blobs into 16 partitions/)]);
    expect(lines.length).toBeGreaterThan(2);

    expect(await kindOf(schema, "records")).toBe("p");
    for (const [id, bodies] of before) {
      if (id === "doomed") continue;
      expect(await bodiesOf(other, id), id).toEqual([...bodies, ...(acknowledged.get(id) ?? [])]);
    }
    expect(await bodiesOf(other, "fresh")).toEqual(acknowledged.get("fresh"));
    expect(acknowledged.get("written")?.length).toBeGreaterThan(0);
    expect(await store.find("doomed")).toBeUndefined();
    expect(await operator.maintenance.check()).toMatchObject({ pending: [], problems: [] });
    await assertOnce(schema);
    const { key } = await store.open("large");
    expect(await store.readBlobs(key, ["b0", "b5", "b1695"])).toHaveLength(3);
    // after the exchange too
    await fill(store, "small-0", 2);
    await operator.maintenance.vacuum();
  });

  /** Each record has its terms once, and nothing is left behind. */
  async function assertOnce(schema: string): Promise<void> {
    const rows = await Promise.all([
      runSql(
        connectionString,
        `SELECT session_key, version FROM "${schema}".record_terms GROUP BY 1, 2 HAVING count(*) <> 1`,
      ),
      runSql(
        connectionString,
        `SELECT session_key FROM "${schema}".record_terms
         WHERE NOT EXISTS (SELECT FROM "${schema}".records AS record
           WHERE record.session_key = record_terms.session_key AND record.version = record_terms.version)`,
      ),
      runSql(
        connectionString,
        `SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
         WHERE nspname = '${schema}' AND (relname LIKE '%\\_former' OR relname LIKE 'split\\_%' OR relname LIKE '%\\_split')`,
      ),
    ]);
    expect(rows).toEqual([[], [], []]);
  }

  test("stopped halfway it goes on, and two at once are refused", async () => {
    const { schema, open } = await plainDatabase();
    const store = open();
    for (let index = 0; index < 20; index++) await fill(store, `s${index}`, 300);
    const before = await bodiesOf(store, "s7");
    const stopped = open().maintenance.migrate({
      onProgress: () => {
        throw new Error("stopped by the test");
      },
    });
    await expect(stopped).rejects.toThrow();
    const another = new pg.Client({ connectionString });
    await another.connect();
    const taken = "SELECT pg_advisory_lock(hashtextextended($1, 0))";
    await another.query(taken, [`palimpsest partitions of ${schema}`]);
    await expect(open().maintenance.migrate()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("Another palimpsest store migrate"),
    });
    await another.end();
    expect(await kindOf(schema, "records")).toBe("r");
    await fill(store, "s7", 5);
    expect(await store.delete("s3")).toBe(true);
    const { steps } = await open().maintenance.migrate();
    expect(steps).toHaveLength(1);
    expect((await bodiesOf(store, "s7")).slice(0, before.length)).toEqual(before);
    expect(await bodiesOf(store, "s7")).toHaveLength(before.length + 5);
    await assertOnce(schema);
    expect(await open().maintenance.migrate()).toMatchObject({ steps: [] });
  });

  test("a transaction that holds a table only delays it", async () => {
    const { schema, open } = await plainDatabase();
    const store = open();
    await fill(store, "s", 10);
    const holder = new pg.Client({ connectionString });
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query(`BEGIN; LOCK TABLE "${schema}".records IN SHARE MODE`);
    const migrated = store.maintenance.migrate();
    // others read while the migration waits for its lock
    for (let index = 0; index < 20; index++) expect(await bodiesOf(open(), "s")).toHaveLength(10);
    await holder.query("COMMIT");
    expect((await migrated).steps).toHaveLength(1);
    expect(await bodiesOf(store, "s")).toHaveLength(10);
  });
});
