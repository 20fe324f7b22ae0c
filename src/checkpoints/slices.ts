import { setImmediate as nextTurn } from "node:timers/promises";

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
