import { randomUUID } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CheckpointDetails } from "./checkpoint.ts";
import { examineFiles } from "./examine-files.ts";
import { listFiles } from "./list-files.ts";
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
  } catch {
    // A file changed under us, or the index was of no use: it is gone now, and all is read again.
    return stageOnce(repository);
  }
}

async function stageOnce(repository: ShadowRepository): Promise<StagedFiles> {
  const { runGit, workspace, maxFileBytes } = repository;
  const { paths, details } = await examineFiles(workspace, await listFiles(runGit, workspace), maxFileBytes);
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
