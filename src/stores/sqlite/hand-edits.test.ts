import { beforeAll, expect, test } from "vitest";
import {
  editDatabase,
  makeSqliteSample,
  readLogs,
  type SqliteSample,
  writeDatabase,
} from "../../../test/support/sqlite-sample.ts";
import { sqliteStore } from "./index.ts";

let sample: SqliteSample;
beforeAll(async () => {
  sample = await makeSqliteSample();
});

const record = (version: number, session = "second") =>
  `id = ((SELECT key FROM sessions WHERE id = '${session}') << 32) + ${version}`;
const copyOf = (columns: string, condition: string) =>
  `(${columns}) = (SELECT ${columns} FROM copies WHERE ${condition})`;
const COPIES = "CREATE TEMP TABLE copies AS SELECT * FROM records";
const WHOLE = "at, is_rewrite, checksum, body";

function swap(columns: string): string {
  return `${COPIES};
    UPDATE records SET ${copyOf(columns, record(5))} WHERE ${record(4)};
    UPDATE records SET ${copyOf(columns, record(4))} WHERE ${record(5)}`;
}

const changed = (version: number) => `record ${version} of the session "second" is not what was written`;
const ENTRY = 'the entry of the session "second" is not what was written';
const missing = (version: number) => `record ${version} of the session "second" is missing`;
const ends = (version: number, newest: number) => `"second" should end with record ${version}, but ends with ${newest}`;

test.each([
  ["a body", `UPDATE records SET body = '"other"' WHERE ${record(5)}`, changed(5)],
  ["a time", `UPDATE records SET at = at + 1 WHERE ${record(5)}`, changed(5)],
  ["a mark", `UPDATE records SET is_rewrite = 1 WHERE ${record(5)}`, changed(5)],
  ["a checksum", `UPDATE records SET checksum = '' WHERE ${record(1)}`, changed(1)],
  ["a version", `UPDATE records SET id = id + 90 WHERE ${record(5)}`, ends(12, 95)],
  ["a record", `DELETE FROM records WHERE ${record(5)}`, missing(5)],
  ["the first record", `DELETE FROM records WHERE ${record(1)}`, missing(1)],
  ["the last record", `DELETE FROM records WHERE ${record(12)}`, ends(12, 11)],
  ["all records", "DELETE FROM records", ends(12, 0)],
  ["two bodies, swapped", swap("body"), changed(4)],
  ["two records, swapped", swap(WHOLE), changed(4)],
  [
    "a record of another session",
    `${COPIES}; UPDATE records SET ${copyOf(WHOLE, record(5, "first"))} WHERE ${record(5)}`,
    changed(5),
  ],
  ["a lower count", "UPDATE sessions SET version = 11", ends(11, 12)],
  ["a higher count", "UPDATE sessions SET version = 13", ends(13, 12)],
  ["an earlier rewrite", "UPDATE sessions SET rewrite_version = 2", ENTRY],
  ["a later rewrite", "UPDATE sessions SET rewrite_version = 7", ENTRY],
  ["no rewrite", "UPDATE sessions SET rewrite_version = 0", ENTRY],
  ["a table", "DROP TABLE records", "no such table"],
  ["a column", "ALTER TABLE records RENAME COLUMN body TO text", "no such column"],
])("%s edited by hand is found on reading", async (_, sql, message) => {
  const path = writeDatabase(sample.bytes);
  editDatabase(path, sql);
  const store = sqliteStore({ path });
  const reading = store.find("second").then((session) => store.read(session?.key ?? 0));
  await expect(reading).rejects.toMatchObject({ code: "store-damaged", message: expect.stringContaining(path) });
  await expect(reading).rejects.toThrow(message);
  await store.close();
});

test("a checkpoint edited by hand is found on reading", async () => {
  const path = writeDatabase(sample.bytes);
  editDatabase(path, "UPDATE checkpoints SET body = '{}'");
  const store = sqliteStore({ path });
  const { key } = await store.open("second");
  await expect(store.listCheckpoints(key)).rejects.toMatchObject({ code: "store-damaged" });
  await store.close();
});

test("a damaged session leaves the others readable, and can be deleted", async () => {
  const path = writeDatabase(sample.bytes);
  editDatabase(path, `DELETE FROM records WHERE ${record(12)}`);
  const found = await readLogs(path);
  expect(found.get("first")).toEqual(sample.logs.get("first"));
  expect(found.get("second")).toBe("store-damaged");
  expect(found.get("third")).toEqual(sample.logs.get("third"));
  const store = sqliteStore({ path });
  expect(await store.delete("second")).toBe(true);
  expect((await store.list()).map(({ id }) => id)).toEqual(["third", "first"]);
  await store.close();
});

test("a damaged session is not written to", async () => {
  const path = writeDatabase(sample.bytes);
  const store = sqliteStore({ path });
  const { key } = await store.open("second");
  editDatabase(path, `DELETE FROM records WHERE ${record(12)}`);
  await expect(store.append(key, [{ body: "1" }])).rejects.toMatchObject({ code: "store-damaged" });
  await store.close();
  expect((await readLogs(path)).get("second")).toBe("store-damaged");
});
