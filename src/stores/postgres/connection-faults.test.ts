import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../../test/support/loopback.ts";
import { describeOwnPostgres } from "../../../test/support/own-postgres.ts";
import { freshSchema, runSql } from "../../../test/support/postgres-database.ts";
import type { Store } from "../../core/ports/store.ts";
import { type PostgresStoreOptions, postgresStore } from "./index.ts";

await describeOwnPostgres("when the connection to PostgreSQL fails", (server) => {
  const { connectionString } = server;
  const password = decodeURIComponent(new URL(connectionString).password);

  function openStore(options: Partial<PostgresStoreOptions> = {}): Store {
    const store = postgresStore({ connectionString, schema: freshSchema(connectionString), ...options });
    onTestFinished(() => store.close());
    return store;
  }

  function changedAddress(change: (url: URL) => void): string {
    const url = new URL(connectionString);
    change(url);
    return url.href;
  }

  /** The failure of a call, which never shows the password. */
  async function failureOf(call: Promise<unknown>): Promise<unknown> {
    const error: unknown = await call.then(
      () => "no failure",
      (error: unknown) => error,
    );
    for (const secret of [password, encodeURIComponent(password), "hunter2"]) {
      const shown = error instanceof Error ? `${error.message} ${error.stack} ${JSON.stringify(error)}` : "";
      expect(shown).not.toContain(secret);
    }
    return error;
  }

  async function killBackends(): Promise<void> {
    const own = "pid <> pg_backend_pid() AND backend_type = 'client backend'";
    await runSql(connectionString, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${own}`);
    // A backend tells its client before it is gone.
    while ((await runSql(connectionString, `SELECT 1 FROM pg_stat_activity WHERE ${own}`)).length > 0) await delay(5);
  }

  /** Keeps every append of the schema waiting until it is released. */
  async function holdSessions(schema: string): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString });
    client.on("error", () => undefined);
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE "${schema}".sessions IN ACCESS EXCLUSIVE MODE`);
    return () => client.end();
  }

  async function untilWaiting(): Promise<void> {
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    while ((await runSql(connectionString, waiting)).length === 0) await delay(20);
  }

  test.each([
    [
      "a server that does not run",
      (url: URL) => (url.port = "1"),
      /cannot be reached at 127\.0\.0\.1:1 \(ECONNREFUSED/,
    ],
    ["a wrong password", (url: URL) => (url.password = "hunter2"), /refused the user "palimpsest".*password/],
    ["a user who is not there", (url: URL) => (url.username = "nobody"), /refused the user "nobody"/],
    ["a database that is not there", (url: URL) => (url.pathname = "/nowhere"), /no database "nowhere". Create it/],
    [
      "a host that is not there",
      (url: URL) => (url.hostname = "no-such-host.invalid"),
      /cannot be reached at no-such-host/,
    ],
  ])("%s is told", async (_, change, words) => {
    const store = openStore({ connectionString: changedAddress(change) });
    const told = { code: "store-failed", message: expect.stringMatching(words) };
    expect(await failureOf(store.open("s"))).toMatchObject(told);
    expect(await failureOf(store.list())).toMatchObject(told);
  });

  test("an idle connection that broke is replaced on the next call", async () => {
    const store = openStore();
    const { key } = await store.open("s");
    await store.append(key, [{ body: "1" }]);
    await killBackends();
    expect((await store.append(key, [{ body: "2" }])).type).toBe("appended");
    expect(await store.read(key)).toHaveLength(2);
  });

  test("a write under way when the connection breaks may or may not have happened, and says so", async () => {
    const schema = freshSchema(connectionString);
    const store = openStore({ schema });
    const { key } = await store.open("s");
    const release = await holdSessions(schema);
    const failure = failureOf(store.append(key, [{ body: "1" }]));
    await untilWaiting();
    await killBackends();
    expect(await failure).toMatchObject({
      code: "store-failed",
      message: expect.stringMatching(/lost during a write.*may or may not have happened.*read the session again/),
    });
    await release();
    expect(await store.read(key)).toEqual([]);
    expect((await store.append(key, [{ body: "1" }])).type).toBe("appended");
  });

  test("a read under way when the connection breaks is done again", async () => {
    const schema = freshSchema(connectionString);
    const store = openStore({ schema });
    const { key } = await store.open("s");
    await store.append(key, [{ body: "1" }]);
    await holdSessions(schema);
    const reading = store.read(key);
    await untilWaiting();
    await killBackends();
    expect(await reading).toMatchObject([{ version: 1, body: "1" }]);
  });

  test("a server that is gone is told, and used again once it is back", async () => {
    const store = openStore();
    const { key } = await store.open("s");
    await store.append(key, [{ body: "1" }]);
    await server.stop();
    try {
      const told = { code: "store-failed", message: expect.stringMatching(/cannot be reached/) };
      expect(await failureOf(store.append(key, [{ body: "2" }]))).toMatchObject(told);
      expect(await failureOf(store.read(key))).toMatchObject(told);
      expect(await failureOf(openStore({ schema: "other" }).list())).toMatchObject(told);
    } finally {
      await server.start();
    }
    expect((await store.append(key, [{ body: "3" }])).type).toBe("appended");
    expect((await store.read(key)).map(({ body }) => body)).toEqual(["1", "3"]);
  });

  test("a store that was opened before the server was up works once it is", async () => {
    const store = openStore();
    await server.stop();
    expect(await failureOf(store.list())).toMatchObject({ code: "store-failed" });
    await server.start();
    expect(await store.list()).toEqual([]);
  });

  test("what was acknowledged survives a crash of the server", async () => {
    const store = openStore();
    const { key } = await store.open("s");
    const acknowledged: number[] = [];
    const writer = async (name: number) => {
      for (let index = 0; ; index++) {
        const outcome = await store.append(key, [{ body: `"${name}-${index}"`, terms: ["word"] }]);
        if (outcome.type === "appended") acknowledged.push(outcome.version);
      }
    };
    const writers = [1, 2, 3, 4].map((name) => failureOf(writer(name)));
    await until(() => acknowledged.length >= 20);
    await server.crash();
    await server.start();
    for (const error of await Promise.all(writers)) expect(error).toMatchObject({ code: "store-failed" });
    const records = await store.read(key);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(records.length).toBeGreaterThanOrEqual(Math.max(...acknowledged));
    expect(await store.search(["word"])).toHaveLength(records.length);
  });

  test("a user without a free connection, or without the right to make tables, is told", async () => {
    await runSql(connectionString, "CREATE ROLE guest LOGIN PASSWORD 'hunter2' CONNECTION LIMIT 0");
    const asGuest = changedAddress((url) => {
      url.username = "guest";
      url.password = "hunter2";
    });
    const store = openStore({ connectionString: asGuest });
    const told = (words: RegExp) => ({ code: "store-failed", message: expect.stringMatching(words) });
    expect(await failureOf(store.list())).toMatchObject(told(/no connection left.*maxConnections/));
    await runSql(connectionString, "ALTER ROLE guest CONNECTION LIMIT 5");
    expect(await failureOf(store.list())).toMatchObject(told(/"guest" may not do this.*Grant it CREATE/));
    await runSql(connectionString, "GRANT CREATE ON DATABASE postgres TO guest");
    expect(await store.list()).toEqual([]);
    await store.close();
    await runSql(connectionString, "DROP OWNED BY guest CASCADE; DROP ROLE guest");
  });

  test("a server that only reads is told, and what is there can be read", async () => {
    const schema = freshSchema(connectionString);
    const { key } = await openStore({ schema }).open("s");
    const readOnly = `${connectionString}?options=-c%20default_transaction_read_only%3Don`;
    const store = openStore({ schema, connectionString: readOnly });
    expect(await store.read(key)).toEqual([]);
    expect(await failureOf(store.append(key, [{ body: "1" }]))).toMatchObject({
      code: "store-failed",
      message: expect.stringMatching(/read-only, and nothing was written/),
    });
  });
});
