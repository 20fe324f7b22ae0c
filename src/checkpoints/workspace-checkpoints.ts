import { assert, assertNumber, assertObject } from "../core/assert.ts";
import { describeError } from "../core/describe-error.ts";
import { PalimpsestError } from "../core/errors.ts";
import type { FileChange, RestoredFile, RestoredFiles, SavedCheckpoint, WorkspaceCheckpoint } from "./checkpoint.ts";
import { checkpointStorage } from "./checkpoint-storage.ts";
import {
  diffCheckpoints,
  diffWithNow,
  listCheckpoints,
  previewRestore,
  pruneCheckpoints,
  restoreCheckpoint,
  saveCheckpoint,
} from "./operations.ts";
import { unknownCheckpoint } from "./shadow-repository.ts";

export interface WorkspaceCheckpointsOptions {
  /** The folder whose files are saved. */
  readonly workspace: string;
  /** Where they are saved: a folder of its own, outside the workspace, one for each session. */
  readonly storageFolder: string;
  /** Larger files are skipped. @default 10 MB */
  readonly maxFileBytes?: number;
  /** A workspace with more files, not counting ignored and skipped ones, is refused. @default no limit */
  readonly maxFiles?: number;
  /** A workspace with more bytes in its files is refused. @default no limit */
  readonly maxTotalBytes?: number;
  /** How long to wait for another process that works on the same checkpoints. @default 60000 */
  readonly lockTimeoutMs?: number;
  /** The git program, 2.25 or newer. @default "git", from the PATH */
  readonly git?: string;
  /** When aborted, kills the running git and lets no other start: running operations fail, and nothing is lost. @default none */
  readonly signal?: AbortSignal;
  /** @default Date.now */
  readonly now?: () => number;
}

/** Checkpoints of one folder's files. Every method throws "checkpoint-failed" where git or the file system fails. */
export interface WorkspaceCheckpoints {
  /** Saves the files as they are now. @default message "" */
  save(options?: { readonly message?: string }): Promise<SavedCheckpoint>;
  /** The files that changed from one checkpoint to another. @default toId the workspace as it is now */
  diff(fromId: string, toId?: string): Promise<readonly FileChange[]>;
  /** The files that `restore` would write and remove. */
  preview(id: string): Promise<readonly RestoredFile[]>;
  /** Restores the files of a checkpoint and removes those created since. Saves the current files first, so that it can be undone. */
  restore(id: string): Promise<RestoredFiles>;
  /** All checkpoints, the newest first. */
  list(): Promise<readonly WorkspaceCheckpoint[]>;
  /** The disk space of all checkpoints. */
  diskUse(): Promise<{ readonly bytes: number }>;
  /** Deletes all but the newest checkpoints, and frees their disk space. */
  prune(options: { readonly keep: number }): Promise<PrunedCheckpoints>;
  /** Deletes all checkpoints, with the storage folder. */
  remove(): Promise<void>;
}

export interface PrunedCheckpoints {
  /** The ids of the deleted checkpoints. */
  readonly removed: readonly string[];
  readonly freedBytes: number;
}

const DEFAULT_MAX_FILE_BYTES = 10_000_000;
const DEFAULT_LOCK_TIMEOUT_MS = 60_000;

/**
 * Checkpoints of one folder's files, in a separate git repository outside of it. The user's own repository, its index, hooks
 * and configuration are neither used nor touched; its ignore rules apply. Repositories inside the folder are saved as plain
 * files, by their own ignore rules, without their `.git`, which restoring does not touch either. A checkpoint has the files'
 * content, links and permissions, but neither empty folders nor folders that tools can generate again (dependencies, environments, caches).
 * @example
 * ```ts
 * import { mkdtemp, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { workspaceCheckpoints } from "palimpsest/checkpoints";
 * const workspace = await mkdtemp(join(tmpdir(), "project-"));
 * const files = workspaceCheckpoints({ workspace, storageFolder: `${workspace}-checkpoints` });
 * const { id } = await files.save();
 * await writeFile(join(workspace, "new.txt"), "new");
 * console.log((await files.restore(id)).changed); // [ { path: 'new.txt', type: 'removed' } ]
 * ```
 */
export function workspaceCheckpoints(options: WorkspaceCheckpointsOptions): WorkspaceCheckpoints {
  const { now, ...settings } = assertOptions(options);
  const storage = checkpointStorage(settings);

  async function prune(keep: number): Promise<PrunedCheckpoints> {
    assert(Number.isInteger(keep) && keep >= 0, "keep", keep, "a whole number of at least 0");
    if ((await storage.look()) === undefined) return { removed: [], freedBytes: 0 };
    return storage.change(async (repository) => {
      const bytesBefore = await storage.bytes();
      const removed = await pruneCheckpoints(repository, keep);
      return { removed, freedBytes: Math.max(0, bytesBefore - (await storage.bytes())) };
    });
  }

  async function diff(fromId: string, toId: string | undefined): Promise<readonly FileChange[]> {
    const repository = await storage.look();
    if (repository === undefined) throw unknownCheckpoint(fromId);
    if (toId !== undefined) return diffCheckpoints(repository, fromId, toId);
    return storage.change((opened) => diffWithNow(opened, fromId));
  }

  async function restore(id: string): Promise<RestoredFiles> {
    if ((await storage.look()) === undefined) throw unknownCheckpoint(id);
    return storage.change((repository) => restoreCheckpoint(repository, { id, at: now() }));
  }

  async function preview(id: string): Promise<readonly RestoredFile[]> {
    if ((await storage.look()) === undefined) throw unknownCheckpoint(id);
    return storage.change((repository) => previewRestore(repository, id));
  }

  async function list(): Promise<readonly WorkspaceCheckpoint[]> {
    const repository = await storage.look();
    return repository === undefined ? [] : listCheckpoints(repository);
  }

  async function save(message: string): Promise<SavedCheckpoint> {
    assert(typeof message === "string", "message", message, "a text");
    return storage.change((repository) => saveCheckpoint(repository, { message, at: now() }));
  }

  return {
    save: ({ message = "" } = {}) => explainErrors(() => save(message)),
    diff: (fromId, toId) => explainErrors(() => diff(fromId, toId)),
    preview: (id) => explainErrors(() => preview(id)),
    restore: (id) => explainErrors(() => restore(id)),
    list: () => explainErrors(list),
    diskUse: () => explainErrors(async () => ({ bytes: await storage.bytes() })),
    prune: ({ keep }) => explainErrors(() => prune(keep)),
    remove: () => explainErrors(() => storage.remove()),
  };
}

type CheckedOptions = Required<Omit<WorkspaceCheckpointsOptions, "signal">> &
  Pick<WorkspaceCheckpointsOptions, "signal">;

function assertOptions(options: WorkspaceCheckpointsOptions): CheckedOptions {
  assertObject("options", options);
  const { workspace, storageFolder, git = "git", now = Date.now, signal } = options;
  const { maxFiles = Number.POSITIVE_INFINITY, maxTotalBytes = Number.POSITIVE_INFINITY } = options;
  const { maxFileBytes = DEFAULT_MAX_FILE_BYTES, lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS } = options;
  for (const [name, path] of Object.entries({ workspace, storageFolder, git })) {
    assert(typeof path === "string" && path !== "" && !path.includes("\0"), name, path, "a path");
  }
  assertNumber("maxFileBytes", maxFileBytes, 0);
  assertNumber("lockTimeoutMs", lockTimeoutMs, 0);
  for (const [name, most] of Object.entries({ maxFiles, maxTotalBytes })) {
    assert(typeof most === "number" && most >= 0, name, most, "a number of at least 0");
  }
  assert(signal === undefined || signal instanceof AbortSignal, "signal", signal, "an AbortSignal");
  const limits = { maxFileBytes, maxFiles, maxTotalBytes, lockTimeoutMs };
  return { workspace, storageFolder, git, now, ...limits, ...(signal === undefined ? {} : { signal }) };
}

/** Turns errors of the file system, which do not say what to do, into a PalimpsestError. */
async function explainErrors<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof PalimpsestError) throw error;
    throw new PalimpsestError(
      "checkpoint-failed",
      `Checkpoints failed: ${describeError(error)}. Check the disk and the permissions of the storage folder.`,
    );
  }
}
