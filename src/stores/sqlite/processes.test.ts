import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { sqliteStore } from "./index.ts";

const STORE = JSON.stringify(new URL("./index.ts", import.meta.url).href);
const OPEN = `import { sqliteStore } from ${STORE}; const [, path, name] = process.argv; const store = sqliteStore({ path });`;

/** Runs a module in another process, and gives what it printed. */
async function runScript(text: string, ...values: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", text, "--", ...values]);
  return stdout;
}

/** Another process that holds the lock for writing until it is told to let go. */
async function lockInOtherProcess(path: string): Promise<() => Promise<void>> {
  const script = `
    import { DatabaseSync } from "node:sqlite";
    const database = new DatabaseSync(process.argv[1]);
    database.exec("BEGIN IMMEDIATE");
    console.log("locked");
    process.stdin.on("end", () => database.exec("ROLLBACK")).resume();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, "--", path]);
  onTestFinished(() => void child.kill());
  await once(child.stdout, "data");
  return async () => {
    child.stdin.end();
    await once(child, "exit");
  };
}

test("another process reads what was acknowledged, and its answer is seen here", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = sqliteStore({ path });
  const { key } = await store.open("s");
  await store.append(key, [{ body: '"from here"', terms: ["here"] }]);
  const script = `${OPEN}
    const { key } = await store.open("s");
    const [record] = await store.read(key);
    await store.append(key, [{ body: JSON.stringify(JSON.parse(record.body) + ", seen there"), terms: ["there"] }]);
    console.log(JSON.stringify(await store.search(["here", "there"])));
    await store.close();`;
  expect(JSON.parse(await runScript(script, path))).toHaveLength(2);
  expect((await store.read(key)).map(({ body }) => body)).toEqual(['"from here"', '"from here, seen there"']);
  await store.close();
});

test("processes that make one file and write to it at the same moment lose nothing", async () => {
  const path = join(temporaryFolder(), "new", "store.db");
  const script = `${OPEN}
    const shared = await store.open("shared");
    const own = await store.open(name);
    for (let index = 0; index < 25; index++) {
      const records = [{ body: JSON.stringify(name + index), terms: [name] }];
      const outcomes = [await store.append(shared.key, records), await store.append(own.key, records)];
      if (outcomes.some(({ type }) => type !== "appended")) throw new Error("refused");
    }
    await store.close();`;
  const names = ["anna", "ben", "cleo", "dora"];
  await Promise.all(names.map((name) => runScript(script, path, name)));
  const store = sqliteStore({ path });
  const shared = await store.read((await store.open("shared")).key);
  for (const name of names) {
    const written = Array.from({ length: 25 }, (_, index) => JSON.stringify(`${name}${index}`));
    expect(shared.map(({ body }) => body).filter((body) => body.startsWith(`"${name}`))).toEqual(written);
    expect((await store.read((await store.open(name)).key)).map(({ body }) => body)).toEqual(written);
    expect(await store.search([name])).toHaveLength(50);
  }
  expect(shared).toHaveLength(100);
  await store.close();
});

test("a file that is locked for too long is said, and written when it is free again", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = sqliteStore({ path, busyTimeoutMs: 150 });
  const { key } = await store.open("s");
  const release = await lockInOtherProcess(path);
  await expect(store.append(key, [{ body: "1" }])).rejects.toMatchObject({
    code: "store-failed",
    message: `${path} was locked by another process for longer than 150 ms. Try again, end that process, or raise busyTimeoutMs.`,
  });
  expect(await store.read(key)).toEqual([]);
  await release();
  expect((await store.append(key, [{ body: "2" }])).type).toBe("appended");
  await store.close();
});

test("calls that wait for a lock together are refused each in its own time", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = sqliteStore({ path, busyTimeoutMs: 4_000 });
  const { key } = await store.open("s");
  const release = await lockInOtherProcess(path);
  const early = ["1", "2"].map((body) => store.append(key, [{ body }]));
  const refused = Promise.allSettled(early);
  await delay(3_500);
  const late = store.append(key, [{ body: "3" }]);
  const failure = { status: "rejected", reason: expect.objectContaining({ code: "store-failed" }) };
  expect(await refused).toEqual([failure, failure]);
  await release();
  expect(await late).toEqual({ type: "appended", version: 1, rewriteVersion: 0 });
  expect((await store.read(key)).map(({ body }) => body)).toEqual(["3"]);
  await store.close();
});

test("waiting for a lock leaves the event loop free", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = sqliteStore({ path });
  const { key } = await store.open("s");
  const release = await lockInOtherProcess(path);
  const appending = store.append(key, [{ body: "1" }]);
  // The lock is released by timers that run meanwhile: were they held up, it would be refused.
  for (let ticks = 0; ticks < 5; ticks++) await delay(10);
  await release();
  expect(await appending).toEqual({ type: "appended", version: 1, rewriteVersion: 0 });
  await store.close();
});

test("a call that waits when the store is closed is refused", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = sqliteStore({ path });
  const { key } = await store.open("s");
  const release = await lockInOtherProcess(path);
  const refused = expect(store.append(key, [{ body: "1" }])).rejects.toMatchObject({
    code: "store-failed",
    message: expect.stringContaining("closed"),
  });
  await store.close();
  await refused;
  await release();
});

test("what a process that appends to many sessions was told is there after kill -9", async () => {
  const path = join(temporaryFolder(), "store.db");
  const script = `${OPEN}
    import { writeSync } from "node:fs";
    const keys = await Promise.all(Array.from({ length: 16 }, (_, index) => store.open(name + index)));
    await Promise.all(keys.map(async ({ id, key }) => {
      for (;;) writeSync(1, id + " " + (await store.append(key, [{ body: JSON.stringify(id) }])).version + "\\n");
    }));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, "--", path, "s"]);
  let told = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    told += text;
    if (told.length > 10_000) child.kill("SIGKILL");
  });
  await once(child, "close");
  const acknowledged = new Map(
    told
      .split("\n")
      .slice(0, -1)
      .map((line): [string, number] => {
        const [id = "", version] = line.split(" ");
        return [id, Number(version)];
      }),
  );
  expect(acknowledged.size).toBe(16);
  const store = sqliteStore({ path });
  for (const [id, version] of acknowledged) {
    const records = await store.read((await store.open(id)).key);
    expect(records.length).toBeGreaterThanOrEqual(version);
    expect(new Set(records.map(({ body }) => body))).toEqual(new Set([JSON.stringify(id)]));
  }
  await store.close();
});
