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

/** So many new files are written into one pack: as single files they take more time, and twenty times the disk. */
const MANY_FILES = 500;

/** Writes the workspace as it is into the repository's objects. Belongs to no checkpoint yet. */
export async function stageFiles(repository: ShadowRepository): Promise<StagedFiles> {
  try {
    return await stageOnce(repository);
  } catch (error) {
    if (error instanceof WorkspaceTooLarge) throw error;
    // A file changed under us, or the index was of no use: it is gone now, and all is read again.
    return stageOnce(repository);
  }
}

async function stageOnce(repository: ShadowRepository): Promise<StagedFiles> {
  const { runGit, workspace } = repository;
  const { paths, details } = await examineFiles(repository, await listFiles(runGit, workspace));
  return { tree: await writeTree(repository, paths), details };
}

/**
 * Takes the index away while it is written, so that one written half way is never taken for a whole one. It remembers what
 * each file looked like when it was read, and is only a cache.
 */
async function writeTree(repository: ShadowRepository, paths: readonly string[]): Promise<string> {
  const { runGit, gitFolder, workspace } = repository;
  const index = `index.${randomUUID()}`;
  const [shared, own] = [join(gitFolder, "index"), join(gitFolder, index)];
  try {
    // Not copied: git judges by the index's own time which files may have changed unnoticed.
    if (existsSync(shared)) renameSync(shared, own);
    const options = { folder: workspace, workTree: workspace, index };
    const indexed = new Set(decodeNames(await runGit(["ls-files", "-z"], options)).names);
    const wanted = new Set(paths);
    const gone = [...indexed].filter((path) => !wanted.has(path));
    if (gone.length > 0) {
      await runGit(["update-index", "--force-remove", "-z", "--stdin"], { ...options, input: encodeNames(gone) });
    }
    const isMany = paths.length - (indexed.size - gone.length) >= MANY_FILES && repository.canPackOnWriting;
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
  /** What can be saved. */
  readonly paths: readonly string[];
  readonly details: CheckpointDetails;
}

const EVERYONE_READS = 0o044;

/** Not tried again: it would take as long, and say the same. */
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
  /** `permissions` of a file that not everyone may read. */
  | { readonly type: "save"; readonly permissions: string | undefined; readonly bytes: number }
  | { readonly type: "skip"; readonly reason: SkipReason }
  /** It went away since it was listed. */
  | { readonly type: "gone" };

function examine(path: string, maxFileBytes: number): Verdict {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isDirectory()) return { type: "gone" };
    if (found.isSymbolicLink()) return { type: "save", permissions: undefined, bytes: found.size };
    if (!found.isFile()) return { type: "skip", reason: "special" };
    if (found.size > maxFileBytes) return { type: "skip", reason: "too-large" };
    accessSync(path, constants.R_OK);
    const isPrivate = process.platform !== "win32" && (found.mode & EVERYONE_READS) !== EVERYONE_READS;
    const permissions = isPrivate ? (found.mode & 0o777).toString(8) : undefined;
    return { type: "save", permissions, bytes: found.size };
  } catch (error) {
    return hasCode(error, "ENOENT", "ENOTDIR") ? { type: "gone" } : { type: "skip", reason: "unreadable" };
  }
}
