import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { editDatabase, writeDatabase } from "../../../test/support/sqlite-sample.ts";
import { canMount, inTemporaryFolder, smallDisk, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Store } from "../../core/ports/store.ts";
import { sqliteStore } from "./index.ts";

function openStore(path = join(temporaryFolder(), "store.db")): { readonly store: Store; readonly path: string } {
  const store = sqliteStore({ path, now: () => 1 });
  onTestFinished(() => store.close());
  return { store, path };
}

async function openSessions(store: Store, count: number): Promise<readonly number[]> {
  const ids = Array.from({ length: count }, (_, index) => `s${index}`);
  return (await Promise.all(ids.map((id) => store.open(id)))).map(({ key }) => key);
}

/** As the log beside the file says: the header of a frame that ends a transaction names the size of the database. */
function commitsIn(path: string): number {
  const log = readFileSync(`${path}-wal`);
  const frameBytes = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at < log.length; at += frameBytes) if (log.readUInt32BE(at + 4) > 0) commits++;
  return commits;
}

/** What is in the file for all to see. */
function recordsIn(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare("SELECT count(*) AS count FROM records").get();
  database.close();
  return Number(row?.count);
}

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : String(error));

describe("appends of one turn", () => {
  test("are one commit, and all in the file when the first of them is acknowledged", async () => {
    const { store, path } = openStore();
    const keys = await openSessions(store, 20);
    const before = commitsIn(path);
    const seen: number[] = [];
    const told = async (key: number) => {
      const { type } = await store.append(key, [{ body: "1", terms: ["word"] }]);
      seen.push(recordsIn(path));
      return type;
    };
    expect(new Set(await Promise.all(keys.map(told)))).toEqual(new Set(["appended"]));
    expect(commitsIn(path) - before).toBe(1);
    expect(seen).toEqual(keys.map(() => 20));
    expect(await store.search(["word"])).toHaveLength(20);
  });

  test("are a commit each where they wait for one another", async () => {
    const { store, path } = openStore();
    const keys = await openSessions(store, 3);
    const before = commitsIn(path);
    for (const key of keys) await store.append(key, [{ body: "1" }]);
    expect(commitsIn(path) - before).toBe(3);
  });

  test("are not seen by a call that is asked for before they are acknowledged", async () => {
    const { store } = openStore();
    const { key } = await store.open("s");
    const appending = store.append(key, [{ body: "1", terms: ["word"] }]);
    expect([await store.read(key), await store.search(["word"]), (await store.find("s"))?.version]).toEqual([
      [],
      [],
      0,
    ]);
    await appending;
    expect(await store.read(key)).toHaveLength(1);
  });

  test("stay in order with the other writes", async () => {
    const { store } = openStore();
    const { key } = await store.open("s");
    const outcomes = await Promise.all([
      store.append(key, [{ body: "1" }], { expectedVersion: 0 }),
      store.append(key, [{ body: "2" }], { expectedVersion: 1 }),
      store.acquireLock({ sessionKey: key, name: "m1", holder: "anna", durationMs: 10 }),
      store.delete("s"),
      store.append(key, [{ body: "3" }]),
    ]);
    expect(outcomes).toEqual([
      { type: "appended", version: 1, rewriteVersion: 0 },
      { type: "appended", version: 2, rewriteVersion: 0 },
      { type: "acquired", expiresAt: 11 },
      true,
      { type: "missing" },
    ]);
  });

  test("are in the file when the store is closed before their turn has come", async () => {
    const { store, path } = openStore();
    const keys = await openSessions(store, 3);
    const appending = Promise.all(keys.map((key) => store.append(key, [{ body: "1" }])));
    await store.close();
    expect((await appending).map(({ type }) => type)).toEqual(["appended", "appended", "appended"]);
    expect(recordsIn(path)).toBe(3);
  });

  test("are in the file when the store is closed, also with blobs that take several transactions", async () => {
    const { store, path } = openStore();
    const [key = 0] = await openSessions(store, 1);
    const blobs = Array.from({ length: 2_000 }, (_, index) => ({ name: `b${index}`, bytes: new Uint8Array(1) }));
    const appending = store.append(key, [{ body: "1", blobs }]).catch(codeOf);
    await store.close();
    expect(await appending).toMatchObject({ type: "appended", version: 1 });
    expect(recordsIn(path)).toBe(1);
  });
});

describe("a group with some that cannot be written", () => {
  const SESSIONS = ["one", "other", "damaged", "deleted"] as const;
  let bytes: Uint8Array;
  let keys: ReadonlyMap<string, number>;
  beforeAll(() =>
    inTemporaryFolder(async (folder) => {
      const path = join(folder, "store.db");
      const store = sqliteStore({ path });
      const opened = await Promise.all(SESSIONS.map((id) => store.open(id)));
      keys = new Map(opened.map(({ id, key }) => [id, key]));
      await Promise.all(opened.map(({ key }) => store.append(key, [{ body: "0" }])));
      await store.delete("deleted");
      await store.close();
      editDatabase(path, "UPDATE sessions SET version = 7 WHERE id = 'damaged'");
      bytes = readFileSync(path);
    }),
  );

  interface Asked {
    readonly id: string;
    readonly expectedVersion?: number;
  }

  function append(store: Store, { id, ...conditions }: Asked): Promise<unknown> {
    const outcome = store.append(keys.get(id) ?? 0, [{ body: `"${id}"`, terms: [id] }], conditions);
    return outcome.catch(codeOf);
  }

  async function readAll(store: Store): Promise<unknown> {
    const logs = SESSIONS.map((id) => store.read(keys.get(id) ?? 0).catch(codeOf));
    return [await Promise.all(logs), await store.search([...SESSIONS])];
  }

  test("writes the others, wherever they were asked for", async () => {
    const { store, path } = openStore(writeDatabase(bytes));
    const asked = ["one", "damaged", "other", "damaged", "one", "deleted"].map((id) => ({ id }));
    expect(await Promise.all([...asked, { id: "one", expectedVersion: 1 }].map((each) => append(store, each)))).toEqual(
      [
        { type: "appended", version: 2, rewriteVersion: 0 },
        "store-damaged",
        { type: "appended", version: 2, rewriteVersion: 0 },
        "store-damaged",
        { type: "appended", version: 3, rewriteVersion: 0 },
        { type: "missing" },
        { type: "conflict", version: 3, rewriteVersion: 0 },
      ],
    );
    expect(recordsIn(path)).toBe(3 + 3);
  });

  test("comes to what its appends come to one after the other", async () => {
    const asked = fc.record(
      { id: fc.constantFrom(...SESSIONS), expectedVersion: fc.integer({ min: 0, max: 4 }) },
      { requiredKeys: ["id"] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 8 }), async (appends) => {
        const [together, apart] = [writeDatabase(bytes), writeDatabase(bytes)].map((path) =>
          sqliteStore({ path, now: () => 1 }),
        );
        if (together === undefined || apart === undefined) throw new Error("two stores were opened");
        const outcomes = await Promise.all(appends.map((each) => append(together, each)));
        for (const [index, each] of appends.entries()) expect(outcomes[index]).toEqual(await append(apart, each));
        expect(await readAll(together)).toEqual(await readAll(apart));
        await Promise.all([together.close(), apart.close()]);
      }),
      propertyRuns(60),
    );
  });
});

test.skipIf(!canMount)(
  "a group that the disk has no room for is refused whole, and nothing of it is kept",
  async () => {
    const { folder } = smallDisk(3_000);
    const { store, path } = openStore(join(folder, "store.db"));
    const keys = await openSessions(store, 10);
    const ballast = join(folder, "ballast");
    writeFileSync(ballast, Buffer.alloc(2_000_000));
    const body = JSON.stringify("x".repeat(100_000));
    const appendAll = () =>
      Promise.all(keys.map((key) => store.append(key, [{ body }]).then(({ type }) => type, codeOf)));
    expect(await appendAll()).toEqual(keys.map(() => "store-failed"));
    expect(recordsIn(path)).toBe(0);
    rmSync(ballast);
    expect(await appendAll()).toEqual(keys.map(() => "appended"));
  },
);
