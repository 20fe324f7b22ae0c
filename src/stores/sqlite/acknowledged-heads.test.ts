import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Store } from "../../core/ports/store.ts";
import { sqliteStore } from "./index.ts";

function openStore(path: string): Store {
  const store = sqliteStore({ path });
  onTestFinished(() => store.close());
  return store;
}

async function append(store: Store, id: string, ...texts: readonly string[]): Promise<void> {
  const { key } = await store.open(id);
  for (const text of texts) await store.append(key, [{ body: JSON.stringify(text) }]);
}

const PARTS = ["", "-wal", "-heads"] as const;

/** What a machine finds after it was switched off while a store was in use: `act` is the last thing that was done. */
async function switchedOff(act: (store: Store) => Promise<void>) {
  const path = join(temporaryFolder(), "store.db");
  const store = openStore(path);
  await append(store, "kept", "one", "two");
  const before = readFileSync(`${path}-wal`).length;
  await act(store);
  const copy = join(temporaryFolder(), "store.db");
  for (const part of PARTS) copyFileSync(path + part, copy + part);
  return {
    path: copy,
    /** Damages the log where `act` began to write, so that SQLite takes all of it for unfinished. */
    damageLog: () => {
      const log = readFileSync(`${copy}-wal`);
      expect(log.length).toBeGreaterThan(before);
      writeFileSync(`${copy}-wal`, Uint8Array.from(log).fill(0xa5, before, before + 24));
    },
  };
}

const damaged = (message: string) => ({ code: "store-damaged", message: expect.stringContaining(message) });

test("records that a damaged log has lost are missed, and other sessions go on", async () => {
  const { path, damageLog } = await switchedOff((store) => append(store, "kept", "three", "four"));
  damageLog();
  const store = openStore(path);
  const refusal = damaged('the session "kept" has 2 records, but 4 were acknowledged');
  await expect(store.find("kept")).rejects.toMatchObject(refusal);
  await expect(store.open("kept")).rejects.toMatchObject(refusal);
  await expect(store.read(1)).rejects.toMatchObject(refusal);
  await expect(store.append(1, [{ body: "1" }])).rejects.toMatchObject(refusal);
  await append(store, "other", "one");
  expect((await store.list()).map(({ id }) => id)).toEqual(["other", "kept"]);
});

test("what is lost stays lost for all who come later, until the session is deleted", async () => {
  const { path, damageLog } = await switchedOff((store) => append(store, "kept", "three"));
  damageLog();
  const [one, other] = [openStore(path), openStore(path)];
  await expect(one.find("kept")).rejects.toMatchObject({ code: "store-damaged" });
  await expect(other.find("kept")).rejects.toMatchObject({ code: "store-damaged" });
  expect(await one.delete("kept")).toBe(true);
  await append(one, "kept", "anew");
  expect(await other.find("kept")).toMatchObject({ version: 1 });
  expect(await openStore(path).find("kept")).toMatchObject({ version: 1 });
});

test("a session whose making was lost is missed, and its key is not given to another", async () => {
  const { path, damageLog } = await switchedOff((store) => append(store, "gone", "one"));
  damageLog();
  for (let times = 0; times < 2; times++) {
    const store = openStore(path);
    const refusal = damaged('the session "gone" is gone, but 1 records of it were acknowledged');
    await expect(store.find("gone")).rejects.toMatchObject(refusal);
    await expect(store.open("gone")).rejects.toMatchObject(refusal);
    await append(store, `new ${times}`, "one");
    expect(await store.find("kept")).toMatchObject({ version: 2 });
  }
  const store = openStore(path);
  expect(await store.delete("gone")).toBe(true);
  expect(await store.delete("gone")).toBe(false);
  expect(await store.open("gone")).toMatchObject({ version: 0 });
});

test("to delete the file beside it is to go on with what is there", async () => {
  const { path, damageLog } = await switchedOff((store) => append(store, "kept", "three"));
  damageLog();
  rmSync(`${path}-heads`);
  expect(await openStore(path).find("kept")).toMatchObject({ version: 2 });
});

test.each<[string, (store: Store) => Promise<unknown>]>([
  ["nothing was damaged", (store) => append(store, "kept", "three")],
  ["a session was deleted", (store) => store.delete("kept")],
  ["a session was deleted and made again", (store) => store.delete("kept").then(() => append(store, "kept", "x"))],
])("nothing is missed where %s", async (_, act) => {
  const { path } = await switchedOff(async (store) => void (await act(store)));
  const store = openStore(path);
  await append(store, "kept", "more");
  expect(await store.read((await store.open("kept")).key)).not.toEqual([]);
});

test("nothing is missed where the file beside it is behind, damaged, or of a deleted session", async () => {
  const path = join(temporaryFolder(), "store.db");
  await append(openStore(path), "a", "one");
  const behind = readFileSync(`${path}-heads`);
  await append(openStore(path), "a", "two");
  const newest = readFileSync(`${path}-heads`);
  const half = Uint8Array.from(newest);
  half[33] = 0xff;
  for (const bytes of [behind, half, newest.subarray(0, 40), Buffer.from("no heads at all")]) {
    writeFileSync(`${path}-heads`, bytes);
    const store = openStore(path);
    expect(await store.find("a")).toMatchObject({ version: 2 });
    await store.close();
  }
  const store = openStore(path);
  await store.delete("a");
  await store.close();
  // Another process may have been about to note what it had acknowledged before.
  writeFileSync(`${path}-heads`, newest);
  expect((await openStore(path).open("a")).version).toBe(0);
});

test("what another database has left at the path is not taken for its own", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = openStore(path);
  await append(store, "a", "one", "two");
  await store.close();
  for (const part of ["", "-wal", "-shm"]) rmSync(path + part, { force: true });
  expect(existsSync(`${path}-heads`)).toBe(true);
  expect((await openStore(path).open("a")).version).toBe(0);
});

test("an older copy of the file in its place is noticed", async () => {
  const path = join(temporaryFolder(), "store.db");
  const first = openStore(path);
  await append(first, "a", "one");
  await first.close();
  const older = readFileSync(path);
  const store = openStore(path);
  await append(store, "a", "two");
  await store.close();
  for (const part of ["-wal", "-shm"]) rmSync(path + part, { force: true });
  writeFileSync(path, older);
  await expect(openStore(path).find("a")).rejects.toMatchObject(damaged("has 1 records, but 2 were acknowledged"));
});
