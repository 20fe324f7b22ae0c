import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Whether this is an error of the file system with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}

/** The entries of a folder; none where it is gone or cannot be read. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

const BLOCK_BYTES = 512;

/** The disk space of all files below a folder, in bytes; 0 where there is no folder. */
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

function diskBytes(stats: Stats | undefined): number {
  // Files take whole blocks. Where the file system does not report them, the size is used.
  return stats === undefined ? 0 : stats.blocks * BLOCK_BYTES || stats.size;
}

const SLICE_MS = 8;

/** Visits each item, and yields to the event loop every few milliseconds. For synchronous calls of the file system: asynchronous ones are many times slower. */
export async function visitInSlices<T>(items: Iterable<T>, visit: (item: T) => void): Promise<void> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (const item of items) {
    visit(item);
    if (performance.now() < sliceEnd) continue;
    await nextTurn();
    sliceEnd = performance.now() + SLICE_MS;
  }
}

/** A field of a value that was read from a file; undefined where there is none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
