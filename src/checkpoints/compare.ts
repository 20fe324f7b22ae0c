import type { FileChange, FileVersion, Patch } from "./checkpoint.ts";
import type { RunGit } from "./git.ts";
import { readSizes } from "./objects.ts";
import { COMPARE, compareTrees, type TreeChange, type TreeFile } from "./tree-changes.ts";

const LARGEST_PATCHED_FILE_BYTES = 256 * 2 ** 10;
const LARGEST_PATCHES_BYTES = 4 * 2 ** 20;
const HEADER = "\ndiff --git ";

/** The changes between two trees, with patches that are small enough for a person to read. */
export async function compareForPeople(runGit: RunGit, before: string, after: string): Promise<readonly FileChange[]> {
  const changes = await compareTrees(runGit, before, after);
  if (changes.length === 0) return [];
  const objects = [...new Set(changes.flatMap((change) => sides(change).map(({ object }) => object)))];
  const sizes = await readSizes(runGit, objects);
  const sizeOf = new Map(objects.map((object, index) => [object, sizes[index] ?? 0]));
  const version = ({ kind, object }: TreeFile): FileVersion => ({ kind, bytes: sizeOf.get(object) ?? 0 });
  const texts = await readPatches(runGit, before, after);
  let next = 0;
  return changes.flatMap((change): readonly FileChange[] => {
    // A file that became a link, or the reverse, has two patches: a deletion and an addition.
    const own = texts.slice(next, next + (isRetyped(change) ? 2 : 1));
    next += isRetyped(change) ? 2 : 1;
    const patch = patchOf(own.join(""), sides(change).map(version));
    const { path } = change;
    if (change.before === undefined) {
      return change.after === undefined ? [] : [{ type: "added", path, after: version(change.after), patch }];
    }
    if (change.after === undefined) return [{ type: "deleted", path, before: version(change.before), patch }];
    return [{ type: "modified", path, before: version(change.before), after: version(change.after), patch }];
  });
}

function patchOf(text: string, versions: readonly FileVersion[]): Patch {
  if (text === "" || versions.some(({ bytes }) => bytes > LARGEST_PATCHED_FILE_BYTES)) return { type: "too-large" };
  return text.includes("\nBinary files ") ? { type: "binary" } : { type: "text", text };
}

/** The patches of the changed files, in the order of the changes; only the first ones where all together would be too large. */
async function readPatches(runGit: RunGit, before: string, after: string): Promise<readonly string[]> {
  const output = await runGit([...COMPARE, "-p", before, after], {
    // Git does not compare larger files line by line.
    settings: { "core.bigFileThreshold": String(LARGEST_PATCHED_FILE_BYTES) },
    outputLimitBytes: LARGEST_PATCHES_BYTES,
  });
  // Within a patch, every line begins with a sign, so that only a header can begin like this.
  const patches = `\n${output}`
    .split(HEADER)
    .slice(1)
    .map((patch) => `${HEADER.trimStart()}${patch}${patch.endsWith("\n") ? "" : "\n"}`);
  return output.length < LARGEST_PATCHES_BYTES ? patches : patches.slice(0, -1);
}

function isRetyped({ before, after }: TreeChange): boolean {
  return before !== undefined && after !== undefined && (before.kind === "link") !== (after.kind === "link");
}

function sides({ before, after }: TreeChange): readonly TreeFile[] {
  return [before, after].filter((side) => side !== undefined);
}
