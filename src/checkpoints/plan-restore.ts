import type { CheckpointDetails, KeptFile } from "./checkpoint.ts";
import { foldersOf, nameOf } from "./left-out.ts";
import type { TreeChange, TreeFile } from "./tree-changes.ts";

export interface RestorePlan {
  /** Ignore rules, which are written first because they decide whether a file may be removed. */
  readonly rules: readonly FileToWrite[];
  readonly files: readonly FileToWrite[];
  readonly removals: readonly string[];
  readonly kept: readonly KeptFile[];
}

export interface FileToWrite extends TreeFile {
  readonly path: string;
  /** Whether the current file was saved, so that it may be replaced. */
  readonly isSaved: boolean;
  /** The recorded permissions; undefined where everyone may read the file. */
  readonly permissions: number | undefined;
}

/** Plans the writes and removals that restore a checkpoint. `changes` lead from the current files to the checkpoint's tree. */
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
      // The checkpoint skipped it, so that its absence there does not mean that it was created since.
      kept.push({ path, reason: "was-skipped" });
    } else removals.push(path);
  }
  return { rules, files, removals, kept };
}
