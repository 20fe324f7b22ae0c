import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hasCode } from "./file-system.ts";

/** Names, in a storage folder, the git that works there. */
export const GIT_FILE = "git.pid";
const POLL_MS = 25;

/** Whether a process of this machine is alive. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, "EPERM");
  }
  try {
    // Killed, but its parent has not asked how it ended: in a container, perhaps nobody ever will.
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return true;
  }
}

/** Notes the git that now works for us: it outlives us where we are killed. */
export function noteGit(storageFolder: string, pid: number): void {
  writeFileSync(join(storageFolder, GIT_FILE), String(pid));
}

export function forgetGit(storageFolder: string): void {
  rmSync(join(storageFolder, GIT_FILE), { force: true });
}

/**
 * Waits for the git of a process that was killed: one that prunes would take away what we are about to write. Not for ever:
 * another process may have been given its number.
 */
export async function outliveGit(storageFolder: string, timeoutMs: number): Promise<void> {
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
