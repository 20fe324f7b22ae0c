import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createConnection } from "./connection.ts";
import { sqliteStore } from "./index.ts";
import type { Database } from "./open-database.ts";
import { insertSession, listSessions } from "./sessions.ts";
import { createLogSync, type LogSync } from "./sync-log.ts";

/** A disk that is as slow as the test wants. */
function slowDisk() {
  const waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const disk: LogSync = {
    sync: () => new Promise((resolve, reject) => waiting.push({ resolve, reject })),
    close: () => undefined,
  };
  return { disk, waiting };
}

function openConnection(disk?: LogSync) {
  const path = join(temporaryFolder(), "store.db");
  const connection = createConnection({ path, busyTimeoutMs: 1_000 }, disk);
  return { path, ...connection };
}

const addSession = (id: string) => (database: Database) => insertSession(database, id, 1).id;

test("a write is acknowledged only when its log is on the disk", async () => {
  const { disk, waiting } = slowDisk();
  const { write, read } = openConnection(disk);
  let isAcknowledged = false;
  const writing = write(addSession("one")).then((id) => {
    isAcknowledged = true;
    return id;
  });
  await expect.poll(() => waiting.length).toBe(1);
  expect(await read((database) => listSessions(database, 10))).toHaveLength(1);
  expect(isAcknowledged).toBe(false);
  waiting[0]?.resolve();
  expect(await writing).toBe("one");
});

test("a write is refused where its log cannot be brought to the disk, with what to do", async () => {
  const { disk, waiting } = slowDisk();
  const { write, path } = openConnection(disk);
  const refused = expect(write(addSession("one"))).rejects.toMatchObject({
    code: "store-failed",
    message: expect.stringMatching(
      /store\.db could not be brought to the disk \(EIO.*may be there all the same.*Check the disk/,
    ),
  });
  await expect.poll(() => waiting.length).toBe(1);
  waiting[0]?.reject(Object.assign(new Error(`EIO: i/o error, fdatasync '${path}-wal'`), { code: "EIO" }));
  await refused;
});

test("writes go on while others wait for the disk", async () => {
  const { disk, waiting } = slowDisk();
  const { write } = openConnection(disk);
  const first = write(addSession("one"));
  await expect.poll(() => waiting.length).toBe(1);
  const second = write(addSession("two"));
  await expect.poll(() => waiting.length).toBe(2);
  for (const { resolve } of waiting) resolve();
  expect(await Promise.all([first, second])).toEqual(["one", "two"]);
});

test("one wait for a real disk serves all that came before it, and each later one gets another", async () => {
  const { path, write, close } = openConnection();
  await write(addSession("one"));
  const log = createLogSync(path);
  onTestFinished(async () => {
    log.close();
    await close();
  });
  const [first, second, third] = [log.sync(), log.sync(), log.sync()];
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  await Promise.all([first, second, third]);
  await expect(log.sync()).resolves.toBeUndefined();
});

test("a log that is not there is an error, not a wait without end", async () => {
  const { sync } = createLogSync(join(temporaryFolder(), "none.db"));
  await expect(sync()).rejects.toMatchObject({ code: "ENOENT" });
  await expect(sync()).rejects.toMatchObject({ code: "ENOENT" });
});

test("a file that is reached by a link is written, and its log brought to the disk", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "real"));
  const path = join(folder, "link.db");
  symlinkSync(join(folder, "real", "store.db"), path);
  writeFileSync(join(folder, "real", "store.db"), "");
  const store = sqliteStore({ path });
  expect((await store.open("s")).version).toBe(0);
  await store.close();
});

test("after a failure of the disk, the log is written into the file before anything is acknowledged", async () => {
  const { disk, waiting } = slowDisk();
  const { path, write } = openConnection(disk);
  const refused = expect(write(addSession("one"))).rejects.toMatchObject({ code: "store-failed" });
  await expect.poll(() => waiting.length).toBe(1);
  waiting[0]?.reject(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }));
  await refused;
  const writing = write(addSession("two"));
  await expect.poll(() => waiting.length).toBe(2);
  expect(statSync(`${path}-wal`).size).toBe(0);
  waiting[1]?.resolve();
  expect(await writing).toBe("two");
});

test("closing twice is closing once, and both wait for it", async () => {
  const { disk, waiting } = slowDisk();
  const { write, close } = openConnection(disk);
  const writing = write(addSession("one"));
  const closings = [close(), close()];
  let closed = 0;
  for (const closing of closings) closing.then(() => closed++);
  await expect.poll(() => waiting.length).toBe(2);
  expect(closed).toBe(0);
  for (const { resolve } of waiting) resolve();
  await Promise.all(closings);
  expect(await writing).toBe("one");
});

test("what was on its way when the disk failed is not acknowledged before the log is written into the file either", async () => {
  const { disk, waiting } = slowDisk();
  const { path, write } = openConnection(disk);
  const refused = expect(write(addSession("one"))).rejects.toMatchObject({ code: "store-failed" });
  await expect.poll(() => waiting.length).toBe(1);
  const writing = write(addSession("two"));
  await expect.poll(() => waiting.length).toBe(2);
  waiting[0]?.reject(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }));
  await refused;
  waiting[1]?.resolve();
  expect(await writing).toBe("two");
  expect(statSync(`${path}-wal`).size).toBe(0);
});

test("a write that only has to be visible resolves when it is committed, and the next that waits for the disk waits for both", async () => {
  const { disk, waiting } = slowDisk();
  const { write, read } = openConnection(disk);
  expect(await write(addSession("one"), "visible")).toBe("one");
  expect(await read((database) => listSessions(database, 10))).toHaveLength(1);
  expect(waiting).toHaveLength(1);
  let isAcknowledged = false;
  const writing = write(addSession("two")).then(() => {
    isAcknowledged = true;
  });
  await expect.poll(() => waiting.length).toBe(2);
  expect(isAcknowledged).toBe(false);
  for (const { resolve } of waiting) resolve();
  await writing;
});

test("where the disk fails a write that only had to be visible, the log is written into the file before the next is acknowledged", async () => {
  const { disk, waiting } = slowDisk();
  const { path, write } = openConnection(disk);
  await write(addSession("one"), "visible");
  waiting[0]?.reject(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }));
  const writing = write(addSession("two"));
  await expect.poll(() => waiting.length).toBe(2);
  expect(statSync(`${path}-wal`).size).toBe(0);
  waiting[1]?.resolve();
  expect(await writing).toBe("two");
});
