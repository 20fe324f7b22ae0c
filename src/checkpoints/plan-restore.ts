import type { CheckpointDetails, KeptFile } from "./checkpoint.ts";
import { foldersOf, nameOf } from "./left-out.ts";
import type { TreeChange, TreeFile } from "./tree-changes.ts";

export interface RestorePlan {
  /** Ignore rules, which say whether a file may be removed, come back before all else. */
  readonly rules: readonly FileToWrite[];
  readonly files: readonly FileToWrite[];
  readonly removals: readonly string[];
  readonly kept: readonly KeptFile[];
}

export interface FileToWrite extends TreeFile {
  readonly path: string;
  /** Whether what is there now was saved, and may be replaced. */
  readonly isSaved: boolean;
  /** Undefined where everyone may read it. */
  readonly permissions: number | undefined;
}

/** What must happen to the files so that a checkpoint's tree is there again. `changes` lead from the present to it. */
export function planRestore(changes: readonly TreeChange[], target: CheckpointDetails): RestorePlan {
  const skipped = new Set(target.skipped.map(({ path }) => path));
  const permissions = new Map(
    Object.entries(target.private).flatMap(([mode, paths]) => paths.map((path) => [path, Number.parseInt(mode, 8)])),
  );
  const rules: FileToWrite[] = [];
  const files: FileToWrite[] = [];
  const removals: string[] = [];
  const kept: KeptFile[] = [];
  for (const { path, before, after } of changes) {
    if (after !== undefined) {
      const list = nameOf(path) === ".gitignore" ? rules : files;
      list.push({ ...after, path, isSaved: before !== undefined, permissions: permissions.get(path) });
    } else if ([path, ...foldersOf(path)].some((part) => skipped.has(part))) {
      // It was there, and left out: that it is not in the checkpoint does not mean that it was created since.
      kept.push({ path, reason: "was-skipped" });
    } else removals.push(path);
  }
  return { rules, files, removals, kept };
}
