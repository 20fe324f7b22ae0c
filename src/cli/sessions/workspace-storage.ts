import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import type { RestoredFiles, SavedCheckpoint } from "../../checkpoints/checkpoint.ts";
import {
  type WorkspaceCheckpoints,
  type WorkspaceCheckpointsOptions,
  workspaceCheckpoints,
} from "../../checkpoints/workspace-checkpoints.ts";
import type { WorkspaceFiles } from "../../core/ports/workspace.ts";
import { defaultDatabasePath } from "../../stores/sqlite/default-database-path.ts";
import type { CommandOption } from "../terminal/command-line.ts";
import { nameOfStore, type StoreLocation } from "./store-location.ts";

/** The option of every command that works on a session's files. */
export const WORKSPACE_OPTION: CommandOption = {
  value: "DIR",
  about: "the folder that the session's agent works in (default: the current one)",
};

const MAX_NAME_CHARACTERS = 40;
const HASH_CHARACTERS = 12;

export interface SessionFilesOptions {
  readonly location: StoreLocation;
  readonly sessionId: string;
  /** @default the current folder */
  readonly workspace: string | undefined;
  /** @default none */
  readonly limits?: Pick<WorkspaceCheckpointsOptions, "maxFiles" | "maxTotalBytes" | "signal">;
}

/** The folder that holds the checkpoints of all sessions' files. */
export function checkpointsFolder(): string {
  return join(dirname(resolve(defaultDatabasePath())), "checkpoints");
}

/** The checkpoints of a session's files; each session has a folder of its own in the user's data folder. */
export function sessionFiles(options: SessionFilesOptions): WorkspaceCheckpoints {
  const { location, sessionId, workspace = ".", limits = {} } = options;
  return workspaceCheckpoints({
    workspace: resolve(workspace),
    storageFolder: join(checkpointsFolder(), storageName(location, sessionId)),
    ...limits,
  });
}

/** A file name that is unique to a session: also among sessions of other stores, and ids that differ only in case or in a slash. */
export function storageName(location: StoreLocation, sessionId: string): string {
  const isDefault = location.type === "sqlite" && location.isDefault;
  const identity = JSON.stringify(isDefault ? [sessionId] : [sessionId, nameOfStore(location)]);
  const hash = createHash("sha256").update(identity).digest("hex").slice(0, HASH_CHARACTERS);
  const readable = sessionId.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, MAX_NAME_CHARACTERS);
  return `${readable}-${hash}`;
}

/** The files of a session, which also keep the full results of the last save and restore: a session returns less. */
export interface RecordedFiles extends WorkspaceFiles {
  readonly checkpoints: WorkspaceCheckpoints;
  /** The result of the last save; undefined if there was none. */
  saved(): SavedCheckpoint | undefined;
  /** The result of the last restore; undefined if there was none. */
  restored(): RestoredFiles | undefined;
}

export function recordedFiles(checkpoints: WorkspaceCheckpoints): RecordedFiles {
  let saved: SavedCheckpoint | undefined;
  let restored: RestoredFiles | undefined;
  return {
    checkpoints,
    save: async (options) => {
      saved = await checkpoints.save(options);
      return saved;
    },
    restore: async (id) => {
      restored = await checkpoints.restore(id);
      return restored;
    },
    saved: () => saved,
    restored: () => restored,
  };
}
