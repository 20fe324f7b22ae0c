import { expect, onTestFinished, test } from "vitest";
import { describePostgres, emptySchema, runSql } from "../../../test/support/postgres-database.ts";
import { postgresStore } from "./index.ts";

await describePostgres("rows edited by hand", (connectionString) => {
  /** A session of five records, the third of which rewrites. */
  async function storeWithRecords() {
    const schema = emptySchema(connectionString);
    const reopen = () => {
      const store = postgresStore({ connectionString, schema });
      onTestFinished(() => store.close());
      return store;
    };
    const store = reopen();
    const { key } = await store.open("s");
    await store.append(
      key,
      [1, 2, 3, 4, 5].map((number) => ({ body: `"text ${number}"`, isRewrite: number === 3 })),
    );
    const edit = (sql: string) => runSql(connectionString, `SET search_path TO "${schema}"; ${sql}`);
    return { store, key, edit, reopen };
  }

  test.each([
    ["a body", "UPDATE records SET body = '\"text 9\"' WHERE version = 4", 4],
    ["white space in a body", "UPDATE records SET body = body || ' ' WHERE version = 1", 1],
    ["a time", "UPDATE records SET at = at + 1 WHERE version = 2", 2],
    ["what a rewrite is", "UPDATE records SET is_rewrite = true WHERE version = 5", 5],
    ["a checksum", "UPDATE records SET checksum = sha256('x') WHERE version = 2", 2],
    [
      "the order of two bodies",
      "UPDATE records SET body = CASE version WHEN 1 THEN '\"text 2\"' ELSE '\"text 1\"' END WHERE version < 3",
      1,
    ],
    ["a record in the middle, deleted", "DELETE FROM records WHERE version = 3", 3],
    ["the first record, deleted", "DELETE FROM records WHERE version = 1", 1],
    ["the last record, deleted", "DELETE FROM records WHERE version = 5", 5],
    ["all records, deleted", "DELETE FROM records", 1],
    ["the version of the session, lowered", "UPDATE sessions SET version = 4", 5],
    ["the version of the session, raised", "UPDATE sessions SET version = 6", 6],
    ["the newest rewrite, lowered", "UPDATE sessions SET rewrite_version = 2", 2],
    ["the newest rewrite, raised", "UPDATE sessions SET rewrite_version = 4", 4],
    ["the newest rewrite, beyond the end", "UPDATE sessions SET rewrite_version = 8", 8],
  ])("%s: the read is refused and names the record", async (_, sql, version) => {
    const { store, key, edit } = await storeWithRecords();
    await edit(sql);
    await expect(store.read(key)).rejects.toMatchObject({
      code: "store-damaged",
      message: expect.stringContaining(`Record ${version} of the session "s"`),
    });
  });

  test("a record that was moved to another session is refused there", async () => {
    const { store, key, edit } = await storeWithRecords();
    const other = await store.open("other");
    await edit(
      `UPDATE records SET session_key = ${other.key} WHERE version = 1; UPDATE sessions SET version = 1 WHERE key <> ${key}`,
    );
    await expect(store.read(other.key)).rejects.toMatchObject({ code: "store-damaged" });
  });

  test("parts that are whole can still be read", async () => {
    const { store, key, edit } = await storeWithRecords();
    await edit("UPDATE records SET body = '1' WHERE version = 2");
    expect(await store.read(key, { afterVersion: 2 })).toHaveLength(3);
    expect(await store.read(key, { limit: 1 })).toHaveLength(1);
    await expect(store.read(key, { afterVersion: 1, limit: 1 })).rejects.toMatchObject({ code: "store-damaged" });
  });

  test("an append where a record is already is refused, and adds nothing", async () => {
    const { store, key, edit } = await storeWithRecords();
    await edit("UPDATE sessions SET version = 4");
    await expect(store.append(key, [{ body: "1" }])).rejects.toMatchObject({
      code: "store-damaged",
      message: expect.stringContaining('The entry of the session "s"'),
    });
    expect(await store.list()).toMatchObject([{ version: 4 }]);
  });

  test("a database from before sessions had checksums is read, and gets them", async () => {
    const { store, key, edit, reopen } = await storeWithRecords();
    await edit(
      "DROP TABLE blobs, saved_states; ALTER TABLE sessions DROP COLUMN checksum, DROP COLUMN is_pinned; DELETE FROM schema_versions WHERE version >= 2",
    );
    await store.close();
    const again = reopen();
    expect(await again.read(key)).toHaveLength(5);
    await edit("UPDATE sessions SET rewrite_version = 2");
    await expect(again.find("s")).rejects.toMatchObject({ code: "store-damaged" });
  });

  test("a checkpoint is refused", async () => {
    const { store, key, edit } = await storeWithRecords();
    await store.saveCheckpoint(key, { id: "c1", at: 1, body: "{}" });
    await edit("UPDATE checkpoints SET body = '[]'");
    await expect(store.listCheckpoints(key)).rejects.toMatchObject({
      code: "store-damaged",
      message: expect.stringContaining('checkpoint "c1"'),
    });
    expect(await store.deleteCheckpoint(key, "c1")).toBe(true);
    expect(await store.listCheckpoints(key)).toEqual([]);
  });
});
