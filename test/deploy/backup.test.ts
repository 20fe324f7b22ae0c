/** Backups as the guide tells to make them, of a store that is written to meanwhile; and what comes back. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEngine, type Engine, type Session, type Store } from "../../src/index.ts";
import { postgresStore } from "../../src/stores/postgres/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { palimpsest } from "../support/stored-commands.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { serverPrograms, startDebianPostgres } from "./debian-postgres.ts";

const MESSAGES = 60;

function engineOver(store: Store): Engine {
  return createEngine({ model: "claude-sonnet-4-5", contextWindow: 16_000, store });
}

async function say(session: Session, number: number): Promise<void> {
  const text = `Line ${number} of the harbour's log: lamp ${number % 7} is on, relay K${number}. `.repeat(20);
  await session.append({ id: `m${number}`, role: number % 2 === 0 ? "user" : "assistant", content: text });
}

/** A session with folds, finished. */
async function fill(engine: Engine): Promise<string> {
  const session = await engine.session("finished");
  for (let number = 0; number < MESSAGES; number++) {
    await say(session, number);
    if (number % 2 === 0) await session.prepare();
  }
  expect((await session.folds()).length).toBeGreaterThan(0);
  const view = JSON.stringify((await session.prepare()).messages);
  session.close();
  return view;
}

/** Makes the backup while another session is being written to; gives how many of its messages were acknowledged before. */
async function backUpWhileWriting(engine: Engine, backUp: () => Promise<void> | void): Promise<number> {
  const session = await engine.session("written");
  for (let number = 0; number < 10; number++) await say(session, number);
  let isOver = false;
  const writing = (async () => {
    for (let number = 10; !isOver; number++) await say(session, number);
  })();
  await backUp();
  isOver = true;
  await writing;
  session.close();
  return 10;
}

async function expectWhole(
  store: Store,
  location: string,
  expected: { readonly view: string; readonly acknowledged: number },
) {
  const engine = engineOver(store);
  const finished = await engine.session("finished");
  expect(JSON.stringify((await finished.prepare()).messages)).toBe(expected.view);
  const written = await engine.session("written");
  expect((await written.log()).length).toBeGreaterThanOrEqual(expected.acknowledged);
  expect(await palimpsest("store", "check", "--deep", "--store", location)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^problems +none$/m),
  });
  // and it goes on
  await say(written, 1_000);
  expect((await written.verify()).type).toBe("intact");
}

const programs = serverPrograms();
if (programs === undefined)
  console.warn("SKIPPED: a backup of PostgreSQL. It needs initdb and pg_dump of one version (Debian: postgresql).");

describe.skipIf(programs === undefined)("a backup of PostgreSQL", () => {
  test("is of one moment, and every session of it is whole after a restore", async () => {
    const server = await startDebianPostgres(programs ?? "");
    onTestFinished(server.remove);
    const run = (program: string, ...given: readonly string[]) => execFileSync(join(programs ?? "", program), given);
    const store = postgresStore({ connectionString: `${server.url}/postgres` });
    const engine = engineOver(store);
    const view = await fill(engine);
    const dump = join(temporaryFolder(), "sessions.dump");
    const acknowledged = await backUpWhileWriting(engine, async () => {
      const child = spawn(join(programs ?? "", "pg_dump"), [
        "-Fc",
        "-n",
        "palimpsest",
        "-f",
        dump,
        `${server.url}/postgres`,
      ]);
      expect((await once(child, "exit"))[0]).toBe(0);
    });
    await store.close();
    run("createdb", "--maintenance-db", `${server.url}/postgres`, "-T", "template0", "-E", "UTF8", "restored");
    run("pg_restore", "-d", `${server.url}/restored`, "--exit-on-error", dump);
    const restored = postgresStore({ connectionString: `${server.url}/restored` });
    onTestFinished(() => restored.close());
    await expectWhole(restored, `${server.url}/restored`, { view, acknowledged });
  });
});

describe("a backup of SQLite", () => {
  async function filled() {
    const folder = temporaryFolder();
    const [path, copy] = [join(folder, "palimpsest.db"), join(folder, "copy.db")];
    const store = sqliteStore({ path });
    const engine = engineOver(store);
    const view = await fill(engine);
    const acknowledged = await backUpWhileWriting(engine, async () => {
      const reader = new DatabaseSync(path);
      reader.exec(`VACUUM INTO '${copy}'`);
      reader.close();
      // what is written after it
      const session = await engine.session("later");
      await say(session, 0);
      await engine.session("finished").then((finished) => say(finished, MESSAGES + 1));
    });
    await store.close();
    return { path, copy, view, acknowledged };
  }

  const putBack = (path: string, copy: string, ends: readonly string[]) => {
    for (const end of ends) rmSync(`${path}${end}`, { force: true });
    copyFileSync(copy, path);
  };

  test("is of one moment, and every session of it is whole after a restore", async () => {
    const { path, copy, view, acknowledged } = await filled();
    putBack(path, copy, ["", "-wal", "-shm", "-heads"]);
    const restored = sqliteStore({ path });
    onTestFinished(() => restored.close());
    await expectWhole(restored, path, { view, acknowledged });
  });

  test("put beside the file that knows how far the sessions had come, it is told to be older", async () => {
    const { path, copy } = await filled();
    putBack(path, copy, ["", "-wal", "-shm"]);
    const restored = sqliteStore({ path });
    onTestFinished(() => restored.close());
    await expect(restored.open("finished")).rejects.toMatchObject({
      code: "store-damaged",
      message: expect.stringContaining("-heads"),
    });
  });
});
