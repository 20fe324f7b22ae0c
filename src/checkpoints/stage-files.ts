import { randomUUID } from "node:crypto";
import { accessSync, constants, existsSync, lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PalimpsestError } from "../core/errors.ts";
import type { CheckpointDetails, SkippedFile, SkipReason } from "./checkpoint.ts";
import { hasCode, visitInSlices } from "./file-system.ts";
import { type ListedFiles, listFiles } from "./list-files.ts";
import { decodeNames, encodeNames } from "./names.ts";
import type { ShadowRepository } from "./shadow-repository.ts";

export interface StagedFiles {
  /** The tree of all saved files. */
  readonly tree: string;
  readonly details: CheckpointDetails;
}

/** From so many new files on, they are written into one pack: as single objects they take more time, and twenty times the disk space. */
const MANY_FILES = 500;

/** Writes the workspace's files to the repository as a tree, which belongs to no checkpoint yet. */
export async function stageFiles(repository: ShadowRepository): Promise<StagedFiles> {
  try {
    return await stageOnce(repository);
  } catch (error) {
    if (error instanceof WorkspaceTooLarge) throw error;
    // A file changed meanwhile, or the index was damaged: it is removed by now, and all files are read again.
    return stageOnce(repository);
  }
}

async function stageOnce(repository: ShadowRepository): Promise<StagedFiles> {
  const { runGit, workspace } = repository;
  const { paths, details } = await examineFiles(repository, await listFiles(runGit, workspace));
  return { tree: await writeTree(repository, paths), details };
}

/**
 * Writes the files with these paths as a tree. The index caches the state of each file when it was read. It is renamed while it is written, so
 * that an incomplete index is never used.
 */
async function writeTree(repository: ShadowRepository, paths: readonly string[]): Promise<string> {
  const { runGit, gitFolder, workspace } = repository;
  const index = `index.${randomUUID()}`;
  const [shared, own] = [join(gitFolder, "index"), join(gitFolder, index)];
  try {
    // Renamed, not copied: git compares the index's own timestamp with those of files to detect changes.
    if (existsSync(shared)) renameSync(shared, own);
    const options = { folder: workspace, workTree: workspace, index };
    const indexed = new Set(decodeNames(await runGit(["ls-files", "-z"], options)).names);
    const wanted = new Set(paths);
    const removed = [...indexed].filter((path) => !wanted.has(path));
    if (removed.length > 0) {
      await runGit(["update-index", "--force-remove", "-z", "--stdin"], { ...options, input: encodeNames(removed) });
    }
    const isMany = paths.length - (indexed.size - removed.length) >= MANY_FILES && repository.canPackOnWriting;
    await runGit(["update-index", "--add", "--remove", "-z", "--stdin"], {
      ...options,
      input: encodeNames(paths),
      settings: isMany ? { "core.bigFileThreshold": "1" } : {},
    });
    const tree = await runGit(["write-tree"], options);
    if (existsSync(own)) renameSync(own, shared);
    return tree.toString().trim();
  } finally {
    rmSync(own, { force: true });
  }
}

interface ExaminedFiles {
  /** The files that can be saved. */
  readonly paths: readonly string[];
  readonly details: CheckpointDetails;
}

const EVERYONE_READS = 0o044;

/** Thrown where a workspace exceeds a limit; not retried, because the result would be the same. */
class WorkspaceTooLarge extends PalimpsestError {
  constructor(workspace: string, what: string) {
    const fix = "Add what tools generate to .gitignore, or make no checkpoints of this folder";
    super("checkpoint-failed", `Cannot checkpoint ${workspace}: it has more than ${what}. ${fix}.`);
  }
}

/** Sorts listed files into those that can be saved and those that must be skipped. */
async function examineFiles(repository: ShadowRepository, listed: ListedFiles): Promise<ExaminedFiles> {
  const { workspace, maxFileBytes, maxFiles, maxTotalBytes } = repository;
  if (listed.paths.length > maxFiles) throw new WorkspaceTooLarge(workspace, `${maxFiles} files`);
  let bytes = 0;
  const paths: string[] = [];
  const skipped: SkippedFile[] = [...listed.skipped];
  const privatePaths: Record<string, string[]> = {};
  await visitInSlices(listed.paths, (path) => {
    const verdict = examine(join(workspace, path), maxFileBytes);
    if (verdict.type === "skip") skipped.push({ path, reason: verdict.reason });
    if (verdict.type !== "save") return;
    bytes += verdict.bytes;
    if (bytes > maxTotalBytes) throw new WorkspaceTooLarge(workspace, `${maxTotalBytes} bytes of files`);
    paths.push(path);
    if (verdict.permissions === undefined) return;
    privatePaths[verdict.permissions] ??= [];
    privatePaths[verdict.permissions]?.push(path);
  });
  return { paths, details: { skipped, private: privatePaths } };
}

type Verdict =
  /** `permissions` only for files that not everyone may read. */
  | { readonly type: "save"; readonly permissions: string | undefined; readonly bytes: number }
  | { readonly type: "skip"; readonly reason: SkipReason }
  /** It was removed since it was listed. */
  | { readonly type: "gone" };

function examine(path: string, maxFileBytes: number): Verdict {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.isDirectory()) return { type: "gone" };
    if (stats.isSymbolicLink()) return { type: "save", permissions: undefined, bytes: stats.size };
    if (!stats.isFile()) return { type: "skip", reason: "special" };
    if (stats.size > maxFileBytes) return { type: "skip", reason: "too-large" };
    accessSync(path, constants.R_OK);
    const isPrivate = process.platform !== "win32" && (stats.mode & EVERYONE_READS) !== EVERYONE_READS;
    const permissions = isPrivate ? (stats.mode & 0o777).toString(8) : undefined;
    return { type: "save", permissions, bytes: stats.size };
  } catch (error) {
    return hasCode(error, "ENOENT", "ENOTDIR") ? { type: "gone" } : { type: "skip", reason: "unreadable" };
  }
}
