import type { RunGit } from "./git.ts";
import { damaged } from "./records.ts";

const LARGEST_BATCH_BYTES = 32 * 2 ** 20;

/** The sizes of objects, in the order of their names. */
export async function readSizes(runGit: RunGit, names: readonly string[]): Promise<readonly number[]> {
  if (names.length === 0) return [];
  const output = await runGit(["cat-file", "--batch-check=%(objectsize)"], { input: `${names.join("\n")}\n` });
  const sizes = output.toString().trimEnd().split("\n").map(Number);
  if (sizes.length !== names.length || !sizes.every(Number.isInteger)) throw damaged();
  return sizes;
}

/** The content of objects, in the order of their names. */
export async function readObjects(runGit: RunGit, names: readonly string[]): Promise<readonly Buffer[]> {
  if (names.length === 0) return [];
  const output = await runGit(["cat-file", "--batch=%(objectsize)"], { input: `${names.join("\n")}\n` });
  let start = 0;
  return names.map(() => {
    const headerEnd = output.indexOf("\n", start);
    const bytes = Number(output.toString("latin1", start, headerEnd));
    if (headerEnd === -1 || !Number.isInteger(bytes)) throw damaged();
    start = headerEnd + 1 + bytes + 1;
    return output.subarray(headerEnd + 1, headerEnd + 1 + bytes);
  });
}

/** The content of each item's object, read in batches that fit into memory. */
export async function* readInBatches<T extends { readonly object: string }>(
  runGit: RunGit,
  items: readonly T[],
): AsyncGenerator<{ readonly item: T; readonly content: Buffer }> {
  const sizes = await readSizes(
    runGit,
    items.map(({ object }) => object),
  );
  for (const batch of batches(items, sizes)) {
    const contents = await readObjects(
      runGit,
      batch.map(({ object }) => object),
    );
    for (const [index, item] of batch.entries()) {
      const content = contents[index];
      if (content !== undefined) yield { item, content };
    }
  }
}

function batches<T>(items: readonly T[], sizes: readonly number[]): readonly (readonly T[])[] {
  const all: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const [index, item] of items.entries()) {
    const size = sizes[index] ?? 0;
    if (bytes + size > LARGEST_BATCH_BYTES) {
      all.push([]);
      bytes = 0;
    }
    all.at(-1)?.push(item);
    bytes += size;
  }
  return all;
}
