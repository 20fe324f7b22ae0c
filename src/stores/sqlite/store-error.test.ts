import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { isBusy, toStoreError } from "./store-error.ts";

const PLACE = { path: "store.db", busyTimeoutMs: 50 };

/** What SQLite itself throws at this. */
function complaintOf(...statements: readonly string[]): unknown {
  const database = new DatabaseSync(":memory:");
  try {
    for (const sql of statements) database.exec(sql);
  } catch (error) {
    return error;
  } finally {
    database.close();
  }
  throw new Error("SQLite took all of it");
}

test.each([
  [
    "read-only",
    ["CREATE TABLE t (a)", "PRAGMA query_only = ON", "INSERT INTO t VALUES (1)"],
    "store-failed",
    /cannot be written.*Allow the user/,
  ],
  [
    "full",
    ["PRAGMA max_page_count = 2", "CREATE TABLE t (a)", "CREATE TABLE u (a)"],
    "store-failed",
    /disk is full.*Free some space/,
  ],
  [
    "without full-text search",
    ["CREATE VIRTUAL TABLE t USING absent (a)"],
    "store-failed",
    /no full-text search.*Use Node/,
  ],
  ["not as it was made", ["SELECT * FROM records"], "store-damaged", /no such table: records.*Restore the file/],
])("a database that is %s", (_, statements, code, message) => {
  const error = toStoreError(complaintOf(...statements), PLACE);
  expect(error).toMatchObject({ name: "PalimpsestError", code, message: expect.stringMatching(message) });
  expect(error).toMatchObject({ message: expect.stringContaining("store.db") });
});

test("only a lock of others is worth another try", () => {
  expect(isBusy(complaintOf("SELECT * FROM records"))).toBe(false);
  expect(isBusy(new Error("database is locked"))).toBe(false);
  expect(isBusy(Object.assign(new Error("database is locked"), { errcode: 5 }))).toBe(true);
  expect(isBusy(Object.assign(new Error("snapshot"), { errcode: 5 | (2 << 8) }))).toBe(true);
});

test("a mistake of our own is not blamed on the file", () => {
  const mistake = new TypeError("undefined is not a function");
  expect(toStoreError(mistake, PLACE)).toBe(mistake);
});
