import { describe, expect, onTestFinished, test } from "vitest";
import { describePostgres, freshSchema, runSql } from "../../../test/support/postgres-database.ts";
import { untyped } from "../../../test/support/sessions.ts";
import type { Store } from "../../core/ports/store.ts";
import { type PostgresStoreOptions, postgresStore } from "./index.ts";

describe("postgresStore", () => {
  test("refuses options that cannot work, and shows no connection string", () => {
    const connectionString = "postgres://anna:s3cret@localhost/talks";
    expect(() => postgresStore({ connectionString, maxConnections: 0 })).toThrow(/maxConnections is 0/);
    expect(() => postgresStore({ connectionString, schema: "" })).toThrow(/schema is ""/);
    expect(() => postgresStore({ connectionString: "" })).toThrow(/connectionString is .*postgres:/);
  });

  test("a mistyped option is refused, and an address by itself without showing it", () => {
    const connectionString = "postgres://anna:s3cret@localhost/talks";
    expect(() => postgresStore(untyped({ connectionString, scema: "a" }))).toThrow("options.scema is not an option.");
    expect(() => postgresStore(untyped(connectionString))).toThrow(
      "options is a string; it must be an object: { connectionString }.",
    );
  });

  test("an address that nobody can read is refused without showing it", async () => {
    const store = postgresStore({ connectionString: "postgres://anna:s3cret@local host:x/talks" });
    const error: unknown = await store.list().catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "invalid-argument", message: expect.stringContaining("connectionString") });
    expect(String(error)).not.toContain("s3cret");
    await store.close();
  });
});

await describePostgres("postgresStore on a server", (connectionString) => {
  function openStore(schema: string, options: Partial<PostgresStoreOptions> = {}): Store {
    const store = postgresStore({ connectionString, schema, ...options });
    onTestFinished(() => store.close());
    return store;
  }

  test("sixteen appenders of one session lose nothing, through fewer connections and two stores", async () => {
    const schema = freshSchema(connectionString);
    const stores = [openStore(schema, { maxConnections: 3 }), openStore(schema, { maxConnections: 5 })];
    const { key } = await openStore(schema).open("shared");
    const appended = await Promise.all(
      Array.from({ length: 16 }, async (_, writer) => {
        const store = stores[writer % 2] ?? openStore(schema);
        const versions: number[] = [];
        for (let index = 0; index < 20; index++) {
          const outcome = await store.append(key, [{ body: `"${writer}-${index}"` }]);
          versions.push(outcome.type === "appended" ? outcome.version : 0);
        }
        return versions;
      }),
    );
    const bodies = (await openStore(schema).read(key)).map(({ body }) => body);
    expect(bodies).toHaveLength(320);
    appended.forEach((versions, writer) => {
      expect(versions.map((version) => bodies[version - 1])).toEqual(
        versions.map((_, index) => `"${writer}-${index}"`),
      );
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
    });
  });

  test("many stores that start at once on an empty database make the tables once", async () => {
    const schema = freshSchema(connectionString);
    const stores = Array.from({ length: 8 }, () => openStore(schema, { maxConnections: 2 }));
    const sessions = await Promise.all(stores.map((store) => store.open("s")));
    expect(new Set(sessions.map(({ key }) => key)).size).toBe(1);
    expect(await runSql(connectionString, `SELECT version FROM "${schema}".schema_versions`)).toEqual([
      { version: 1 },
      { version: 2 },
      { version: 3 },
      { version: 4 },
      { version: 5 },
      { version: 6 },
    ]);
  });

  test("a schema may have any name", async () => {
    const schema = `odd "quoted"; -- ' ${freshSchema(connectionString).slice(-12)}`;
    const store = openStore(schema);
    try {
      const { key } = await store.open("s");
      await store.append(key, [{ body: "1", terms: ["word"] }]);
      expect(await store.search(["word"])).toHaveLength(1);
    } finally {
      await runSql(connectionString, `DROP SCHEMA "${schema.replaceAll('"', '""')}" CASCADE`);
    }
  });

  test("uses a schema that an administrator made", async () => {
    const schema = freshSchema(connectionString);
    await runSql(connectionString, `CREATE SCHEMA "${schema}"`);
    expect(await openStore(schema).list()).toEqual([]);
  });

  test("tables of a newer version are refused, and left alone", async () => {
    const schema = freshSchema(connectionString);
    await openStore(schema).open("s");
    await runSql(connectionString, `INSERT INTO "${schema}".schema_versions VALUES (99, now())`);
    await expect(openStore(schema).open("t")).rejects.toMatchObject({
      code: "store-too-new",
      message: expect.stringMatching(/version 99.*Update palimpsest/s),
    });
    expect(await runSql(connectionString, `SELECT id FROM "${schema}".sessions`)).toEqual([{ id: "s" }]);
  });

  test("an append is on disk before it is acknowledged, whatever the server's default is", async () => {
    const schema = freshSchema(connectionString);
    const careless = `${connectionString}${connectionString.includes("?") ? "&" : "?"}options=-c%20synchronous_commit%3Doff`;
    const store = openStore(schema, { connectionString: careless });
    const { key } = await store.open("s");
    await runSql(
      connectionString,
      `CREATE TABLE "${schema}".seen AS SELECT ''::text AS setting;
       CREATE FUNCTION "${schema}".note() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN UPDATE "${schema}".seen SET setting = current_setting('synchronous_commit'); RETURN NEW; END $$;
       CREATE TRIGGER note AFTER INSERT ON "${schema}".records EXECUTE FUNCTION "${schema}".note()`,
    );
    await store.append(key, [{ body: "1" }]);
    expect(await runSql(connectionString, `SELECT setting FROM "${schema}".seen`)).toEqual([{ setting: "on" }]);
  });

  test("keys beyond 32 bits come back as numbers", async () => {
    const schema = freshSchema(connectionString);
    const store = openStore(schema);
    await store.open("first");
    await runSql(connectionString, `ALTER TABLE "${schema}".sessions ALTER COLUMN key RESTART WITH 9007199254740991`);
    const { key } = await store.open("last");
    expect(key).toBe(Number.MAX_SAFE_INTEGER);
    await store.append(key, [{ body: "1", terms: ["word"] }]);
    expect(await store.read(key)).toMatchObject([{ version: 1, body: "1" }]);
    expect(await store.search(["word"], { sessionKey: key })).toEqual([
      { sessionKey: key, sessionId: "last", version: 1, matches: 1 },
    ]);
    await expect(store.open("one too many")).rejects.toMatchObject({ code: "store-failed" });
  });

  test("a record with more terms than a tsvector holds is found by each of them, once", async () => {
    const store = openStore(freshSchema(connectionString));
    const { key } = await store.open("s");
    const terms = Array.from({ length: 4_000 }, (_, index) => `${index}-${"漢".repeat(160)}`);
    await store.append(key, [{ body: "1", terms }]);
    const asked = terms.filter((_, index) => index % 100 === 0);
    expect(await store.search(asked)).toEqual([{ sessionKey: key, sessionId: "s", version: 1, matches: asked.length }]);
  });

  test("a term that looks like our own lexemes leads into no other session", async () => {
    const store = openStore(freshSchema(connectionString));
    const [one, other] = [await store.open("one"), await store.open("other")];
    await store.append(one.key, [{ body: "1", terms: ["word", `session ${other.key}`, `'session ${other.key}'`] }]);
    expect(await store.search(["word"], { sessionKey: other.key })).toEqual([]);
    await store.delete("other");
    expect(await store.search(["word"])).toHaveLength(1);
  });

  test("a session that is deleted while others append leaves nothing behind", async () => {
    const schema = freshSchema(connectionString);
    const store = openStore(schema, { maxConnections: 8 });
    for (let round = 0; round < 5; round++) {
      const { key } = await store.open("s");
      const record = { body: "1", terms: ["word"] };
      const appends = Array.from({ length: 7 }, () => store.append(key, [record]));
      const [deleted, ...outcomes] = await Promise.all([store.delete("s"), ...appends]);
      expect(deleted).toBe(true);
      for (const { type } of outcomes) expect(["appended", "missing"]).toContain(type);
    }
    const left = `SELECT (SELECT count(*) FROM "${schema}".records)::int AS records,
      (SELECT count(*) FROM "${schema}".record_terms)::int AS terms`;
    expect(await runSql(connectionString, left)).toEqual([{ records: 0, terms: 0 }]);
  });

  test("closing waits for what is under way", async () => {
    const store = openStore(freshSchema(connectionString), { maxConnections: 1 });
    const { key } = await store.open("s");
    const appends = Array.from({ length: 10 }, () => store.append(key, [{ body: "1" }]));
    await store.close();
    expect((await Promise.all(appends)).map(({ type }) => type)).toEqual(Array.from({ length: 10 }, () => "appended"));
  });
});
