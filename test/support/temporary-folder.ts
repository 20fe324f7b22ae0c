import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder, gone after the test; within a test or its `beforeEach`. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-"));
  // Not an `afterEach` of this file: the files of a process share it, and only the first of them would have it.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A new folder for as long as something is done in it: what many tests use is made so, before the first of them. */
export async function inTemporaryFolder<Result>(act: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-"));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A disk of its own, gone after the test: the one kind of read-only or full disk that root meets too. */
export interface SmallDisk {
  readonly folder: string;
  /** While no file of it is open. */
  setReadOnly(isReadOnly: boolean): void;
}

/** Whether this user may mount disks; tests that need one say so where they are skipped. */
export const canMount = process.platform === "linux" && process.getuid?.() === 0 && triesToMount();

export function smallDisk(kilobytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-disk-"));
  mount(folder, kilobytes);
  onTestFinished(() => {
    // Lazily: a failed test may have left a file open.
    execFileSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true });
  });
  return {
    folder,
    setReadOnly(isReadOnly) {
      execFileSync("mount", ["-o", `remount,${isReadOnly ? "ro" : "rw"}`, folder]);
    },
  };
}

function mount(folder: string, kilobytes: number): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k,mode=700`, "palimpsest-test", folder], {
    stdio: "pipe",
  });
}

function triesToMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-disk-"));
  try {
    mount(folder, 64);
    execFileSync("umount", [folder]);
    return true;
  } catch {
    console.warn("Disks cannot be mounted here: the tests on full and read-only disks are skipped.");
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
