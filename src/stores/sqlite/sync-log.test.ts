import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createConnection } from "./connection.ts";
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
    message: expect.stringMatching(/store\.db cannot be used: EIO.*Check the disk/),
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
