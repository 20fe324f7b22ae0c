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
  /** Takes the newest rewind back, also one that was itself followed by more. What came after it is set aside, not lost. */
  | { readonly undo: true }
  | { readonly toCheckpoint: string };

export type SessionRewindOptions = RewindTarget & {
  /** Moves the workspace's files to the same moment. @default false; with `undo`, as the rewind did that is taken back */
  readonly files?: boolean | undefined;
  /** Tells what would be done, and changes nothing. @default false */
  readonly dryRun?: boolean | undefined;
};

/** What a rewind did. */
export interface Rewound {
  /** The version that the rewind itself is; of a dry run, the one that it would be. Rewind to the one before it to take this back. */
  readonly version: number;
  readonly toVersion: number;
  /** Messages that the log had and has no longer; an undo has brought messages back where this is negative. */
  readonly messagesRemoved: number;
  /** The files' checkpoint that was restored; undefined where they were left alone. */
  readonly filesId?: string;
  /** What changed in the files, where the workspace tells. */
  readonly files?: RewoundFiles;
}

export interface RewoundFiles {
  readonly changed: readonly MovedFile[];
  /** Those that were left alone, because nothing could bring them back. A dry run does not know them. */
  readonly kept: readonly KeptWorkspaceFile[];
}

export interface RewindPorts {
  readonly checkpoints: CheckpointKeeper;
  readonly workspace: WorkspaceFiles | undefined;
}

/** Makes a session's log, and if wanted its files, what they were at another moment. Nothing is lost: see `undo`. */
export async function rewindSession(
  session: LiveSession,
  options: SessionRewindOptions,
  { checkpoints, workspace }: RewindPorts,
): Promise<Rewound> {
  assertObject("options", options);
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

/** Whether the files are to be moved along. Who undoes a rewind takes all of it back. */
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
  /** The files as they were before the rewind that is undone. */
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

/** The files as they were at a version: those of the newest checkpoint before it, by the way that the files have come. */
async function filesAt(
  { version, filesBefore }: Target,
  history: LogHistory,
  { checkpoints, workspace }: RewindPorts,
): Promise<string> {
  assertWorkspace(workspace);
  if (filesBefore !== undefined) return filesBefore;
  const withFiles = (await checkpoints.list()).filter((each) => each.filesId !== undefined);
  // Of several at one version, the newest counts.
  const filesIds = new Map(withFiles.toReversed().map((each) => [each.version, each.filesId]));
  for (let at = version; at >= 0; ) {
    const filesId = filesIds.get(at);
    if (filesId !== undefined) return filesId;
    const record = history.record(at);
    // A rewind that moved the files as well: what came between is not theirs.
    const hasMovedFiles = record?.type === "rewind" && record.filesBefore !== undefined;
    at = hasMovedFiles ? Math.min(record.toVersion, at - 1) : at - 1;
  }
  throw new PalimpsestError(
    "not-found",
    `No checkpoint up to version ${version} has files. Rewind without "files", or make checkpoints with a workspace.`,
  );
}

function assertWorkspace(workspace: WorkspaceFiles | undefined): WorkspaceFiles {
  if (workspace !== undefined) return workspace;
  throw new PalimpsestError(
    "invalid-configuration",
    "The session has no workspace. Pass options.workspace, made by workspaceCheckpoints(), when you open it.",
  );
}
