import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { editDatabase } from "../../../test/support/sqlite-sample.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { sqliteStore } from "./index.ts";

function openTwo() {
  const path = join(temporaryFolder(), "store.db");
  const stores = [sqliteStore({ path }), sqliteStore({ path })] as const;
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  return { path, one: stores[0], other: stores[1] };
}

test("who has everything is told of what others write, however often it has asked before", async () => {
  const { one, other } = openTwo();
  const { key } = await one.open("s");
  for (let version = 1; version <= 5; version++) {
    await (version % 2 === 0 ? one : other).append(key, [{ body: String(version) }]);
    for (const store of [one, other]) {
      expect((await store.read(key, { afterVersion: version - 1 })).map(({ body }) => body)).toEqual([String(version)]);
      expect(await store.read(key, { afterVersion: version })).toEqual([]);
      expect(await store.read(key, { afterVersion: version })).toEqual([]);
    }
  }
});

test("who has everything is told that the session is gone, and nothing of one that took its place", async () => {
  const { one, other } = openTwo();
  const { key } = await one.open("s");
  await one.append(key, [{ body: "1" }]);
  expect(await one.read(key, { afterVersion: 1 })).toEqual([]);
  await other.delete("s");
  await expect(one.read(key, { afterVersion: 1 })).rejects.toMatchObject({ code: "not-found" });
  const again = await one.open("t");
  await one.append(again.key, [{ body: "2" }, { body: "3" }]);
  await one.delete("t");
  await expect(one.read(again.key, { afterVersion: 2 })).rejects.toMatchObject({ code: "not-found" });
});

test("who has everything is told of damage done by hand", async () => {
  const { path, one } = openTwo();
  const { key } = await one.open("s");
  await one.append(key, [{ body: "1" }]);
  expect(await one.read(key, { afterVersion: 1 })).toEqual([]);
  editDatabase(path, "UPDATE sessions SET version = 7 WHERE id = 's'");
  await expect(one.read(key, { afterVersion: 1 })).rejects.toMatchObject({ code: "store-damaged" });
});
