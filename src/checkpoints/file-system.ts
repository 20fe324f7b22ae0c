import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Whether the file system refused with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}

/** What is in a folder; nothing where it went away or cannot be read. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

const BLOCK_BYTES = 512;

/** The bytes that all files below a folder take of the disk; 0 where there is no folder. */
export async function folderBytes(folder: string): Promise<number> {
  const folders = [folder];
  let bytes = 0;
  await visitInSlices(folders, (current) => {
    for (const entry of entriesOf(current)) {
      const path = join(current, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else bytes += diskBytes(lstatSync(path, { throwIfNoEntry: false }));
    }
  });
  return bytes;
}

function diskBytes(found: Stats | undefined): number {
  // Small files take whole blocks. Where the file system does not say how many, the size has to do.
  return found === undefined ? 0 : found.blocks * BLOCK_BYTES || found.size;
}

const SLICE_MS = 8;

/** Visits each item; others get their turn in between. Calls of the file system that wait are many times dearer. */
export async function visitInSlices<T>(items: Iterable<T>, visit: (item: T) => void): Promise<void> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (const item of items) {
    visit(item);
    if (performance.now() < sliceEnd) continue;
    await nextTurn();
    sliceEnd = performance.now() + SLICE_MS;
  }
}

/** A field of what was read from a file; undefined where there is none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
