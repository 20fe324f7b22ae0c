import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { fingerprints, testWorkspace, writeFiles } from "../../test/support/workspaces.ts";
import { workspaceCheckpoints } from "./index.ts";

/** A process that changes its own file and saves, again and again; it prints each id with what its file then held. */
const SAVING = `
  import { writeFileSync } from "node:fs";
  import { workspaceCheckpoints } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
  const [workspace, storageFolder, name, rounds] = process.argv.slice(-4);
  const checkpoints = workspaceCheckpoints({ workspace, storageFolder });
  for (let round = 0; round < Number(rounds); round += 1) {
    writeFileSync(workspace + "/" + name, name + " " + round);
    const { id } = await checkpoints.save();
    if (round % 4 === 3) await checkpoints.prune({ keep: 1000 });
    console.log(id + " " + round);
  }
`;

function startSaving(...args: readonly string[]): {
  readonly child: ChildProcess;
  readonly lines: () => readonly string[];
} {
  const child = spawn(process.execPath, ["--input-type=module", "-e", SAVING, "--", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  return { child, lines: () => output.split("\n").slice(0, -1) };
}

test("lets several processes save at once, each of their checkpoints whole", async () => {
  const { folder, storageFolder, checkpoints } = testWorkspace({ "shared.txt": "s" });
  const savers = ["one", "two", "three"].map((name) => ({ name, ...startSaving(folder, storageFolder, name, "4") }));
  await Promise.all(savers.map(({ child }) => once(child, "close")));
  const known = new Set((await checkpoints.list()).map(({ id }) => id));
  for (const { name, child, lines } of savers) {
    expect(child.exitCode).toBe(0);
    expect(lines()).toHaveLength(4);
    for (const line of lines()) expect(known).toContain(line.split(" ")[0]);
    await checkpoints.restore(lines()[1]?.split(" ")[0] ?? "");
    expect(readFileSync(join(folder, name), "utf8")).toBe(`${name} 1`);
  }
});

test("goes on after a kill at any instant, with every checkpoint that was acknowledged", async () => {
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`many/${index}`, `content ${index}`]));
  const { folder, storageFolder, checkpoints } = testWorkspace(files);
  const acknowledged: string[] = [];
  let kills = 0;
  for (const delayMs of [5, 20, 35, 60, 90, 130, 180, 240]) {
    const { child, lines } = startSaving(folder, storageFolder, "victim", "1000");
    const started = once(child, "spawn");
    await started;
    while (delayMs > 20 && lines().length === 0) await sleep(5);
    await sleep(delayMs);
    child.kill("SIGKILL");
    await once(child, "close");
    kills += child.signalCode === "SIGKILL" ? 1 : 0;
    acknowledged.push(...lines());
    writeFiles(folder, { "after.txt": `after ${delayMs}` });
    expect(await checkpoints.save()).toMatchObject({ isNew: true });
  }
  expect(kills).toBe(8);
  expect(acknowledged.length).toBeGreaterThanOrEqual(6);
  const known = new Set((await checkpoints.list()).map(({ id }) => id));
  for (const line of acknowledged) expect(known).toContain(line.split(" ")[0]);
  for (const line of [acknowledged[0], acknowledged.at(-1)]) {
    const [id = "", round = ""] = (line ?? "").split(" ");
    await checkpoints.restore(id);
    expect(readFileSync(join(folder, "victim"), "utf8")).toBe(`victim ${round}`);
    expect(Object.keys(fingerprints(join(folder, "many")))).toHaveLength(30);
  }
});

test("waits for calls of its own process, too", async () => {
  const { folder, checkpoints } = testWorkspace({ "a.txt": "a" });
  const { id } = await checkpoints.save();
  writeFiles(folder, { "a.txt": "b" });
  const outcomes = await Promise.all([
    checkpoints.save(),
    checkpoints.restore(id),
    checkpoints.save(),
    checkpoints.diff(id),
  ]);
  expect(outcomes).toHaveLength(4);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("a");
});

function heldLock(
  storageFolder: string,
  holder: { readonly pid: number; readonly host?: string; readonly startedMs?: number },
): string {
  mkdirSync(storageFolder, { recursive: true });
  const path = join(storageFolder, "lock.7");
  writeFileSync(path, JSON.stringify({ host: hostname(), startedMs: 0, ...holder }));
  return path;
}

test("takes over the lock of a process that died, or whose number was given again", async () => {
  for (const pid of [2 ** 22 + 1, process.pid]) {
    const { storageFolder, checkpoints } = testWorkspace({ "a.txt": "a" });
    heldLock(storageFolder, { pid });
    expect(await checkpoints.save()).toMatchObject({ isNew: true });
  }
});

test("says who is in the way when a lock is not released in time, and takes it over when its holder falls silent", async () => {
  const { folder, storageFolder } = testWorkspace({ "a.txt": "a" });
  const checkpoints = workspaceCheckpoints({ workspace: folder, storageFolder, lockTimeoutMs: 60 });
  const path = heldLock(storageFolder, { pid: 1, host: "another-machine" });
  await expect(checkpoints.save()).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining(storageFolder),
  });
  const longAgo = Date.now() / 1000 - 120;
  utimesSync(path, longAgo, longAgo);
  expect(await checkpoints.save()).toMatchObject({ isNew: true });
});

test("waits for the git of a process that was killed: it may still be pruning", async () => {
  const { folder, storageFolder, checkpoints } = testWorkspace({ "a.txt": "a" });
  await checkpoints.save();
  const orphan = spawn(process.execPath, ["-e", "setTimeout(() => {}, 10_000)"]);
  writeFileSync(join(storageFolder, "git.pid"), String(orphan.pid));
  writeFiles(folder, { "a.txt": "b" });
  const saving = checkpoints.save().then(() => "saved");
  expect(await Promise.race([saving, sleep(300, "waiting")])).toBe("waiting");
  orphan.kill();
  expect(await saving).toBe("saved");
});
