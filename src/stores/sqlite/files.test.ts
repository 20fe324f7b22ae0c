import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { untyped } from "../../../test/support/sessions.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { sqliteStore } from "./index.ts";
import { openDatabase } from "./open-database.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;

async function refusalOf(path: string): Promise<PalimpsestError> {
  const store = sqliteStore({ path });
  const error: unknown = await store.open("s").catch((reason: unknown) => reason);
  await store.close();
  if (!(error instanceof PalimpsestError)) throw new Error(`expected a refusal, not ${String(error)}`);
  expect(error.message).toContain(path);
  return error;
}

describe("a new file", () => {
  test("is made with its folders at the first use, for its owner alone", async () => {
    const path = join(temporaryFolder(), "a", "b", "store.db");
    const store = sqliteStore({ path });
    expect(existsSync(dirname(path))).toBe(false);
    await store.open("s");
    expect([dirname(dirname(path)), dirname(path)].map(modeOf)).toEqual([0o700, 0o700]);
    expect([path, `${path}-wal`, `${path}-shm`].map(modeOf)).toEqual([0o600, 0o600, 0o600]);
    await store.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  test("is not made at the default path of somebody who gave another one by itself", () => {
    expect(() => sqliteStore(untyped("sessions.db"))).toThrow(
      'options is "sessions.db"; it must be an object, such as { path: "sessions.db" }.',
    );
  });

  test("is not made at the default path of somebody who mistyped the option", () => {
    expect(() => sqliteStore(untyped({ file: "sessions.db" }))).toThrow("options.file is not an option.");
  });

  test("lies at the default path where none is given", async () => {
    const home = temporaryFolder();
    process.env.PALIMPSEST_HOME = home;
    const store = sqliteStore();
    delete process.env.PALIMPSEST_HOME;
    await store.open("s");
    await store.close();
    expect(existsSync(join(home, "palimpsest.db"))).toBe(true);
  });

  test("may be an empty one that is there already", async () => {
    const path = join(temporaryFolder(), "empty.db");
    writeFileSync(path, "");
    const store = sqliteStore({ path });
    expect((await store.open("s")).version).toBe(0);
    await store.close();
  });

  test("is whole at any moment, and written through to the disk itself", () => {
    const { connection } = openDatabase(join(temporaryFolder(), "store.db"));
    const setting = (name: string) => connection.prepare(`PRAGMA ${name}`).get()?.[name];
    expect(setting("journal_mode")).toBe("wal");
    expect(setting("synchronous")).toBe(1);
    expect(setting("fullfsync")).toBe(1);
    connection.close();
  });
});

describe("a path that cannot be used", () => {
  test("a folder", async () => {
    const refusal = await refusalOf(temporaryFolder());
    expect(refusal.code).toBe("store-failed");
    expect(refusal.message).toMatch(/is a folder.*Give the path of a database file/);
  });

  test("a file in the place of a folder", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "x");
    expect((await refusalOf(join(folder, "file", "store.db"))).code).toBe("store-failed");
  });

  test.each(["", ":memory:", "a\0b", 7, null])("%j", (path) => {
    // @ts-expect-error callers without types
    expect(() => sqliteStore({ path })).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });

  test("a file that is no database, which stays as it is", async () => {
    const path = join(temporaryFolder(), "notes.txt");
    const text = "Buy milk.\n".repeat(1_000);
    writeFileSync(path, text);
    const refusal = await refusalOf(path);
    expect(refusal.code).toBe("store-damaged");
    expect(refusal.message).toMatch(/no SQLite database.*move it away/);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("a database of another program, which stays as it is", async () => {
    for (const sql of ["CREATE TABLE t (a)", "PRAGMA application_id = 7", "PRAGMA user_version = 1"]) {
      const path = join(temporaryFolder(), "other.db");
      const other = new DatabaseSync(path);
      other.exec(sql);
      other.close();
      const before = readFileSync(path);
      const refusal = await refusalOf(path);
      expect(refusal.code).toBe("store-failed");
      expect(refusal.message).toMatch(/another program/);
      expect(readFileSync(path).equals(before)).toBe(true);
    }
  });
});

test("a store whose path was in the way works once the way is free", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "data"), "");
  const store = sqliteStore({ path: join(folder, "data", "store.db") });
  await expect(store.open("s")).rejects.toMatchObject({ code: "store-failed" });
  rmSync(join(folder, "data"));
  mkdirSync(join(folder, "data"));
  expect((await store.open("s")).version).toBe(0);
  await store.close();
});

test("what was deleted is not in the file any more", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = sqliteStore({ path });
  const { key } = await store.open("s");
  await store.append(
    key,
    Array.from({ length: 50 }, (_, index) => ({ body: `"secret text ${index}"` })),
  );
  await store.saveCheckpoint(key, { id: "c", at: 1, body: '"secret text of a checkpoint"' });
  await store.delete("s");
  await store.close();
  expect(readFileSync(path).includes("secret text")).toBe(false);
});
