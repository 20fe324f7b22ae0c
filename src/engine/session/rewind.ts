import { assert, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { KeptWorkspaceFile, MovedFile, WorkspaceFiles } from "../../core/ports/workspace.ts";
import type { CheckpointKeeper } from "./checkpoints.ts";
import { findUndone, findVersion, type Moment } from "./find-version.ts";
import type { LogHistory } from "./journal/log-history.ts";
import type { LiveSession } from "./live-session.ts";
import type { RewindRecord } from "./session-log.ts";

export type RewindTarget =
  | Moment
  /** Takes the newest rewind back, even if messages followed it. Those messages are rewound in turn, not lost. */
  | { readonly undo: true }
  | { readonly toCheckpoint: string };

export type SessionRewindOptions = RewindTarget & {
  /** Sets the workspace's files to the same moment. @default false; with `undo`, as in the rewind that is taken back */
  readonly files?: boolean | undefined;
  /** Returns what a rewind would do, and changes nothing. @default false */
  readonly dryRun?: boolean | undefined;
};

/** What a rewind did. */
export interface Rewound {
  /** The version of the rewind's own record, or the version that it would have in a dry run. To take the rewind back, rewind to the version before. */
  readonly version: number;
  readonly toVersion: number;
  /** How many messages the log has lost; negative where an undo has brought messages back. */
  readonly messagesRemoved: number;
  /** The id of the checkpoint that the files were restored from; undefined where they were not. */
  readonly filesId?: string;
  /** What changed in the files; undefined where the workspace does not say. */
  readonly files?: RewoundFiles;
}

export interface RewoundFiles {
  readonly changed: readonly MovedFile[];
  /** Files that should have changed and were left alone, because they could not be restored. Empty in a dry run. */
  readonly kept: readonly KeptWorkspaceFile[];
}

export interface RewindPorts {
  readonly checkpoints: CheckpointKeeper;
  readonly workspace: WorkspaceFiles | undefined;
}

/** Sets a session's log, and with `files` its workspace, back to another moment. Nothing is lost: see `undo`. */
export async function rewindSession(
  session: LiveSession,
  options: SessionRewindOptions,
  { checkpoints, workspace }: RewindPorts,
): Promise<Rewound> {
  assertObject("options", options, '{ toMessage: "u3" }');
  const { dryRun = false } = options;
  assert(typeof dryRun === "boolean", "options.dryRun", dryRun, "true or false");
  const { log } = session;
  const find = await targetOf(options, checkpoints);
  const history = await log.history();
  const target = find(history);
  const filesId = movesFiles(options, target, workspace)
    ? await filesAt(target, history, { checkpoints, workspace })
    : undefined;
  if (dryRun) return previewRewind(session, { target, filesId, workspace });
  const before = (await log.whole()).messages.length;
  const restored = filesId === undefined ? undefined : await assertWorkspace(workspace).restore(filesId);
  const filesBefore = restored === undefined ? {} : { filesBefore: restored.savedId };
  const { record, version } = await log.rewind((history) => {
    const { version, isUndo } = find(history);
    return { type: "rewind", toVersion: version, isUndo, ...filesBefore } satisfies RewindRecord;
  });
  const { toVersion, isUndo } = record;
  session.record({ type: "rewound", at: session.ports.now(), toVersion, isUndo });
  const messagesRemoved = before - (await log.whole()).messages.length;
  return { version, toVersion, messagesRemoved, ...fileFields(filesId, restored) };
}

/** Whether the files are rewound, too. By default, an undo does if the rewind did that it takes back. */
function movesFiles(
  { files, ...options }: SessionRewindOptions,
  { filesBefore }: Target,
  workspace: WorkspaceFiles | undefined,
): boolean {
  assert(files === undefined || typeof files === "boolean", "options.files", files, "true or false");
  return files ?? ("undo" in options && filesBefore !== undefined && workspace !== undefined);
}

interface RewindPreview {
  readonly target: Target;
  readonly filesId: string | undefined;
  readonly workspace: WorkspaceFiles | undefined;
}

async function previewRewind({ log }: LiveSession, { target, filesId, workspace }: RewindPreview): Promise<Rewound> {
  const history = await log.history();
  const changed = filesId === undefined ? undefined : await workspace?.preview?.(filesId);
  return {
    version: history.version() + 1,
    toVersion: target.version,
    messagesRemoved: (await log.whole()).messages.length - history.logAt(target.version).length,
    ...fileFields(filesId, changed && { changed }),
  };
}

function fileFields(
  filesId: string | undefined,
  restored: Partial<RewoundFiles> | undefined,
): Pick<Rewound, "filesId" | "files"> {
  if (filesId === undefined) return {};
  const { changed, kept = [] } = restored ?? {};
  return { filesId, ...(changed === undefined ? {} : { files: { changed, kept } }) };
}

interface Target {
  readonly version: number;
  readonly isUndo: boolean;
  /** The id of the files to restore, where the target names them: those before the rewind that is undone, or those of a checkpoint. */
  readonly filesBefore?: string | undefined;
}

async function targetOf(
  options: SessionRewindOptions,
  checkpoints: CheckpointKeeper,
): Promise<(history: LogHistory) => Target> {
  if ("undo" in options) {
    assert(options.undo === true, "options.undo", options.undo, "true");
    return (history) => ({ ...findUndone(history), isUndo: true });
  }
  if ("toCheckpoint" in options) {
    const { version, filesId } = await checkpoints.find(options.toCheckpoint);
    return () => ({ version, isUndo: false, filesBefore: filesId });
  }
  return (history) => ({ version: findVersion(history, options), isUndo: false });
}

/**
 * The id of the files as they were at a version: those of the newest checkpoint on the way that led there. A rewind that moved the files is part of
 * that way, so the search goes on at the version that it led to. Throws "not-found" where no checkpoint on the way has files.
 */
async function filesAt(
  { version, filesBefore }: Target,
  history: LogHistory,
  { checkpoints, workspace }: RewindPorts,
): Promise<string> {
  assertWorkspace(workspace);
  if (filesBefore !== undefined) return filesBefore;
  const withFiles = (await checkpoints.list()).filter(({ filesId }) => filesId !== undefined);
  // If there are several at one version, the newest counts.
  const filesIds = new Map(withFiles.toReversed().map(({ version: at, filesId }) => [at, filesId]));
  for (let at = version; at >= 0; ) {
    const filesId = filesIds.get(at);
    if (filesId !== undefined) return filesId;
    const record = history.record(at);
    const hasMovedFiles = record?.type === "rewind" && record.filesBefore !== undefined;
    at = hasMovedFiles ? Math.min(record.toVersion, at - 1) : at - 1;
  }
  throw new PalimpsestError(
    "not-found",
    `No checkpoint up to version ${version} has files. Rewind the messages alone, without files.`,
  );
}

function assertWorkspace(workspace: WorkspaceFiles | undefined): WorkspaceFiles {
  if (workspace !== undefined) return workspace;
  throw new PalimpsestError(
    "invalid-configuration",
    "The session has no workspace. Pass options.workspace, made by workspaceCheckpoints(), when you open it.",
  );
}
