/**
 * Runs the tests again and again on a machine that is kept busy, and prints for each run its time, its counts and what failed:
 *
 *   npx node scripts/test-under-load.ts --loops 8 --runs 10
 *   npx node scripts/test-under-load.ts --runs 3 --clones 2 -- npm test -- src/gateway
 *
 * Runs follow one another. With several clones, each is a clone of the last commit in a temporary folder, and they run at the same time.
 * The output of a run that is not green is kept in a file, whose path is printed.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describeRun, type FinishedRun, isGreen, type LoadPlan, readLoadPlan } from "./under-load.ts";

const REPOSITORY = resolve(import.meta.dirname, "..");
// Ends by itself within a second of this process's death: a loop that outlives its test run would slow down everything after it.
const BUSY_LOOP = `
  const parent = process.ppid;
  for (;;) {
    const until = Date.now() + 1_000;
    while (Date.now() < until);
    if (process.ppid !== parent) process.exit();
  }`;

const running = new Set<ChildProcess>();
const folders: string[] = [];
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    cleanUp();
    process.exit(1);
  });
}

const plan = readLoadPlan(process.argv.slice(2));
try {
  const places = prepareClones(plan.clones);
  for (let loop = 0; loop < plan.loops; loop++) track(spawn(process.execPath, ["-e", BUSY_LOOP], { stdio: "ignore" }));
  console.log(`${plan.command.join(" ")}: ${plan.runs} runs in ${plan.clones} clones, ${plan.loops} busy loops`);
  const finished = await Promise.all(places.map((folder, clone) => runInTurn(plan, folder, clone + 1)));
  const red = finished.flat().filter((run) => !isGreen(run)).length;
  console.log(`${finished.flat().length - red} of ${finished.flat().length} runs green`);
  process.exitCode = red === 0 ? 0 : 1;
} finally {
  cleanUp();
}

/** One clone is this folder itself. */
function prepareClones(clones: number): readonly string[] {
  if (clones === 1) return [REPOSITORY];
  return Array.from({ length: clones }, (_, index) => {
    const folder = mkdtempSync(join(tmpdir(), `palimpsest-clone-${index + 1}-`));
    folders.push(folder);
    execFileSync("git", ["clone", "--quiet", REPOSITORY, folder], { stdio: "inherit" });
    return folder;
  });
}

async function runInTurn({ runs, command }: LoadPlan, folder: string, clone: number): Promise<readonly FinishedRun[]> {
  const finished: FinishedRun[] = [];
  for (let run = 1; run <= runs; run++) {
    const startedAt = performance.now();
    const { exitCode, output } = await runOnce(command, folder);
    const ended = { clone, run, seconds: (performance.now() - startedAt) / 1_000, exitCode, output };
    for (const line of describeRun(ended)) console.log(line);
    if (!isGreen(ended)) console.log(`  output: ${keepOutput(ended)}`);
    finished.push(ended);
  }
  return finished;
}

function runOnce([program, ...programArguments]: LoadPlan["command"], cwd: string) {
  const env = { ...process.env, CI: "true" };
  // In a process group of its own: npm's children do not end with npm.
  const child = track(
    spawn(program, programArguments, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] }),
  );
  return new Promise<Pick<FinishedRun, "exitCode" | "output">>((resolve, reject) => {
    const chunks: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("error", reject);
    child.once("close", (exitCode) => resolve({ exitCode, output: Buffer.concat(chunks).toString() }));
  });
}

function keepOutput({ clone, run, output }: FinishedRun): string {
  const path = join(mkdtempSync(join(tmpdir(), "palimpsest-red-")), `clone-${clone}-run-${run}.log`);
  writeFileSync(path, output);
  return path;
}

function track(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

function cleanUp(): void {
  for (const child of running) {
    // A command leads a group of processes; a busy loop belongs to ours.
    if (child.stdout === null) child.kill("SIGKILL");
    else killGroup(child);
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of its processes have ended by themselves.
  }
}
