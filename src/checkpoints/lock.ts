import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PalimpsestError } from "../core/errors.ts";
import { parseJson } from "../core/json/parse-json.ts";
import { fieldOf, hasCode } from "./file-system.ts";
import { isRunning } from "./processes.ts";

const LOCK_FILE = /^lock\.(\d+)$/;
const POLL_MS = 25;
const HEARTBEAT_MS = 10_000;
/** A holder whose process cannot be checked, on another machine or with a reused process id, counts as dead after so long without a heartbeat. */
const SILENCE_MS = 60_000;

/** The start time of this process on the machine's monotonic clock: with the process id, it identifies the process. */
const STARTED_MS = Number(process.hrtime.bigint()) / 1e6 - process.uptime() * 1000;
const SAME_START_MS = 100;

/** Whether this is the name of a lock file. */
export function isLockFile(name: string): boolean {
  return LOCK_FILE.test(name);
}

/** Runs the action while it holds the folder's lock, against other processes and other calls in this one. Throws "conflict" at the timeout. */
export async function withLock<T>(folder: string, timeoutMs: number, action: () => Promise<T>): Promise<T> {
  const path = await acquire(folder, timeoutMs);
  const heartbeat = setInterval(() => touch(path, Date.now()), HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await action();
  } finally {
    clearInterval(heartbeat);
    // The file is not removed but aged: if the highest number were removed, two processes could both take the next lock.
    touch(path, 0);
  }
}

async function acquire(folder: string, timeoutMs: number): Promise<string> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const path = tryAcquire(folder);
    if (path !== undefined) return path;
    if (Date.now() >= deadline) throw busy(folder, timeoutMs);
    await sleep(POLL_MS);
  }
}

/**
 * The lock is the file with the highest number. Where its holder is gone, the process that creates the file with the next number has it. A
 * slow process may create a number that others have passed meanwhile, so each checks again, and gives way to a higher one. Returns the path of
 * the lock file; undefined where another process holds the lock.
 */
function tryAcquire(folder: string): string | undefined {
  const highest = Math.max(0, ...lockNumbers(folder));
  if (highest > 0 && isHeld(join(folder, `lock.${highest}`))) return undefined;
  const path = join(folder, `lock.${highest + 1}`);
  try {
    writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname(), startedMs: STARTED_MS }), { flag: "wx" });
  } catch (error) {
    if (hasCode(error, "EEXIST")) return undefined;
    throw error;
  }
  const numbers = lockNumbers(folder);
  if (Math.max(...numbers) > highest + 1) {
    rmSync(path, { force: true });
    return undefined;
  }
  for (const number of numbers) if (number <= highest) rmSync(join(folder, `lock.${number}`), { force: true });
  return path;
}

function lockNumbers(folder: string): readonly number[] {
  return readdirSync(folder).flatMap((name) => {
    const number = LOCK_FILE.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

function isHeld(path: string): boolean {
  try {
    if (Date.now() - statSync(path).mtimeMs > SILENCE_MS) return false;
    const holder: unknown = parseJson(readFileSync(path, "utf8"));
    return !isKnownDead(holder);
  } catch (error) {
    // A missing file is free: it was replaced by a higher number. An unreadable one is held: its holder is just writing it.
    return !hasCode(error, "ENOENT");
  }
}

function isKnownDead(holder: unknown): boolean {
  const pid = fieldOf(holder, "pid");
  if (fieldOf(holder, "host") !== hostname() || typeof pid !== "number") return false;
  // A restarted process, as in a container, may have the id of the one that died.
  if (pid === process.pid) return Math.abs(Number(fieldOf(holder, "startedMs")) - STARTED_MS) > SAME_START_MS;
  return !isRunning(pid);
}

function touch(path: string, ms: number): void {
  try {
    utimesSync(path, ms / 1000, ms / 1000);
  } catch {
    // The storage folder was removed meanwhile, and the lock with it.
  }
}

function busy(folder: string, timeoutMs: number): PalimpsestError {
  return new PalimpsestError(
    "conflict",
    `Another process has been working on the checkpoints in ${folder} for more than ${timeoutMs} ms. Try again when it is done, or raise lockTimeoutMs.`,
  );
}
