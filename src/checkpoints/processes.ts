import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hasCode } from "./file-system.ts";

/** A file in the storage folder with the process id of the git that works there. */
export const GIT_FILE = "git.pid";
const POLL_MS = 25;

/** Whether a process of this machine is running. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, "EPERM");
  }
  try {
    // A zombie does not count: in a container, perhaps no parent ever reaps it.
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return true;
  }
}

/** Records the running git, which outlives this process if that is killed. */
export function noteGit(storageFolder: string, pid: number): void {
  writeFileSync(join(storageFolder, GIT_FILE), String(pid));
}

export function forgetGit(storageFolder: string): void {
  rmSync(join(storageFolder, GIT_FILE), { force: true });
}

/**
 * Waits for the git of a process that was killed: a running `prune` would delete objects that are about to be written. Waits up to the
 * timeout only, because another process may have got its id.
 */
export async function waitForGit(storageFolder: string, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  const pid = notedGit(storageFolder);
  while (pid > 0 && isRunning(pid) && Date.now() < deadline) await sleep(POLL_MS);
}

function notedGit(storageFolder: string): number {
  try {
    return Number(readFileSync(join(storageFolder, GIT_FILE), "utf8")) || 0;
  } catch {
    return 0;
  }
}
