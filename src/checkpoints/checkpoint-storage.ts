import { existsSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { folderBytes } from "./file-system.ts";
import { assertWorkspace } from "./folders.ts";
import { assertGit, gitOn } from "./git.ts";
import { withLock } from "./lock.ts";
import { forgetGit, noteGit, waitForGit } from "./processes.ts";
import type { ShadowRepository } from "./shadow-repository.ts";
import {
  claimStorage,
  clearLeftovers,
  clearStorage,
  createRepository,
  gitFolderIn,
  isStorageOf,
  ownerOf,
} from "./storage-folder.ts";

export interface CheckpointStorage {
  /** The repository for reading, without taking the lock; undefined where nothing was saved yet. */
  look(): Promise<ShadowRepository | undefined>;
  /** Creates the repository where there is none, and runs the action while it holds the lock. */
  change<T>(action: (repository: ShadowRepository) => Promise<T>): Promise<T>;
  bytes(): Promise<number>;
  remove(): Promise<void>;
}

interface CheckpointStorageOptions {
  readonly workspace: string;
  readonly storageFolder: string;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  readonly maxTotalBytes: number;
  readonly lockTimeoutMs: number;
  readonly git: string;
  readonly signal?: AbortSignal;
}

/** The oldest git that is known to write many new files into one pack. */
const PACKING_GIT = [2, 39] as const;

/** Opens a workspace's shadow repository. Each operation checks again whether the folders may be used, because links can change. */
export function checkpointStorage(options: CheckpointStorageOptions): CheckpointStorage {
  const { git, maxFileBytes, maxFiles, maxTotalBytes, lockTimeoutMs, signal } = options;
  const storageFolder = resolve(options.storageFolder);
  const gitFolder = gitFolderIn(storageFolder);
  const workspacePath = resolve(options.workspace);
  const program = { git, signal, onStart: (pid: number) => noteGit(storageFolder, pid) };

  async function open(workspace: string): Promise<ShadowRepository> {
    const [major, minor] = await assertGit(git, signal);
    const canPackOnWriting = major > PACKING_GIT[0] || (major === PACKING_GIT[0] && minor >= PACKING_GIT[1]);
    const limits = { maxFileBytes, maxFiles, maxTotalBytes };
    return { runGit: gitOn(gitFolder, { git, signal }), gitFolder, workspace, ...limits, canPackOnWriting };
  }

  return {
    async look() {
      const workspace = assertWorkspace(workspacePath, storageFolder);
      return isStorageOf(workspace, storageFolder) && existsSync(gitFolder) ? open(workspace) : undefined;
    },
    async change(action) {
      const workspace = assertWorkspace(workspacePath, storageFolder);
      isStorageOf(workspace, storageFolder);
      const repository = await open(workspace);
      // Only its owner may read it: it will hold copies of private files.
      mkdirSync(storageFolder, { recursive: true, mode: 0o700 });
      return withLock(storageFolder, lockTimeoutMs, async () => {
        await waitForGit(storageFolder, lockTimeoutMs);
        claimStorage(workspace, storageFolder);
        try {
          await createRepository(storageFolder, (folder) => gitOn(folder, program));
          clearLeftovers(gitFolder);
          return await action({ ...repository, runGit: gitOn(gitFolder, program) });
        } finally {
          forgetGit(storageFolder);
        }
      });
    },
    bytes: () => folderBytes(storageFolder),
    async remove() {
      if (ownerOf(storageFolder) === undefined) return;
      await withLock(storageFolder, lockTimeoutMs, async () => clearStorage(storageFolder));
    },
  };
}
