import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { editDatabase, makeSqliteSample, readLogs, writeDatabase } from "../../../test/support/sqlite-sample.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { sqliteStore } from "./index.ts";
import { APPLICATION_ID, migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";

const STEPS = [
  { version: 1, sql: "CREATE TABLE one (a); INSERT INTO one VALUES (1)" },
  { version: 2, sql: "CREATE TABLE two (a)" },
  { version: 3, sql: "ALTER TABLE one ADD COLUMN b" },
];

function openNew(path = join(temporaryFolder(), "store.db")): DatabaseSync {
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  return database;
}

function stateOf(database: DatabaseSync) {
  const tables = database.prepare("SELECT name FROM sqlite_schema ORDER BY name").all();
  return {
    version: database.prepare("PRAGMA user_version").get()?.user_version,
    application: database.prepare("PRAGMA application_id").get()?.application_id,
    tables: tables.map(({ name }) => name),
  };
}

describe("the steps", () => {
  test("are numbered from 1 without gaps", () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
  });

  test("all run on a new file, which is then marked as ours", () => {
    const database = openNew();
    migrate(database, "store.db", STEPS);
    expect(stateOf(database)).toEqual({ version: 3, application: APPLICATION_ID, tables: ["one", "two"] });
  });

  test("run once, and only those that are missing", () => {
    const database = openNew();
    migrate(database, "store.db", STEPS.slice(0, 1));
    migrate(database, "store.db", STEPS);
    migrate(database, "store.db", STEPS);
    expect(stateOf(database)).toMatchObject({ version: 3 });
    expect(database.prepare("SELECT * FROM one").all()).toEqual([{ a: 1, b: null }]);
  });

  test("that another process was faster with are skipped", () => {
    const path = join(temporaryFolder(), "store.db");
    const [one, other] = [openNew(path), openNew(path)];
    // Between the look at the version and the lock, the other one comes in.
    const racing = Object.create(one, { exec: { value: exec } });
    let isFirst = true;
    function exec(sql: string): void {
      if (isFirst) migrate(other, path, STEPS);
      isFirst = false;
      one.exec(sql);
    }
    migrate(Object.assign(racing, { prepare: one.prepare.bind(one) }), path, STEPS);
    expect(one.prepare("SELECT * FROM one").all()).toHaveLength(1);
  });

  test("leave the step before whole where one fails", () => {
    const database = openNew();
    const broken = { version: 2, sql: "CREATE TABLE half (a); CREATE TABLE one (a)" };
    expect(() => migrate(database, "store.db", [...STEPS.slice(0, 1), broken])).toThrow();
    expect(stateOf(database)).toEqual({ version: 1, application: APPLICATION_ID, tables: ["one"] });
    migrate(database, "store.db", STEPS);
    expect(stateOf(database)).toMatchObject({ version: 3, tables: ["one", "two"] });
  });
});

test("a file from before sessions had checksums is read, and gets them", async () => {
  const { bytes, logs } = await makeSqliteSample();
  const path = writeDatabase(bytes);
  editDatabase(
    path,
    "ALTER TABLE sessions DROP COLUMN checksum; ALTER TABLE sessions DROP COLUMN is_pinned; DROP TABLE store_identity; DROP TABLE blobs; DROP TABLE saved_states; PRAGMA user_version = 1",
  );
  expect(await readLogs(path)).toEqual(logs);
  editDatabase(path, "UPDATE sessions SET rewrite_version = 2 WHERE id = 'second'");
  expect((await readLogs(path)).get("second")).toBe("store-damaged");
});

test("a file that was left before its first step is made whole", async () => {
  const path = join(temporaryFolder(), "store.db");
  editDatabase(path, "PRAGMA journal_mode = WAL; CREATE TABLE t (a); DROP TABLE t");
  const store = sqliteStore({ path });
  expect((await store.open("s")).version).toBe(0);
  await store.close();
});

test("a file of a newer version is refused, and stays as it is", async () => {
  const { bytes } = await makeSqliteSample();
  const path = writeDatabase(bytes);
  editDatabase(path, "PRAGMA user_version = 1000");
  const before = readFileSync(path);
  const store = sqliteStore({ path });
  await expect(store.open("s")).rejects.toMatchObject({
    code: "store-too-new",
    message:
      `${path} was written by a newer palimpsest: its schema has version 1000, this one knows versions up to ` +
      `${MIGRATIONS.length}. Update the palimpsest package, or choose another path.`,
  });
  await store.close();
  expect(readFileSync(path).equals(before)).toBe(true);
  editDatabase(path, `PRAGMA user_version = ${MIGRATIONS.length}`);
  expect([...(await readLogs(path)).values()].every((log) => typeof log !== "string")).toBe(true);
});
