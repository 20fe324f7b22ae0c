import { assert, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { WorkspaceFiles } from "../../core/ports/workspace.ts";
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
  /** Moves the workspace's files to the same moment. @default false */
  readonly files?: boolean | undefined;
};

/** What a rewind did. */
export interface Rewound {
  /** The version that the rewind itself is. Rewind to the one before it to take this back. */
  readonly version: number;
  readonly toVersion: number;
  /** Messages that the log had and has no longer; an undo has brought messages back where this is negative. */
  readonly messagesRemoved: number;
  /** The files' checkpoint that was restored; undefined where they were left alone. */
  readonly filesId?: string;
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
  const { files = false } = options;
  assert(typeof files === "boolean", "options.files", files, "true or false");
  const { log } = session;
  const find = await targetOf(options, checkpoints);
  const before = log.messages().length;
  const target = find(log.history());
  const filesId = files ? await filesAt(target, log.history(), { checkpoints, workspace }) : undefined;
  const restored = filesId === undefined ? undefined : await assertWorkspace(workspace).restore(filesId);
  const filesBefore = restored === undefined ? {} : { filesBefore: restored.savedId };
  const { record, version } = await log.rewind((history) => {
    const { version, isUndo } = find(history);
    return { type: "rewind", toVersion: version, isUndo, ...filesBefore } satisfies RewindRecord;
  });
  const { toVersion, isUndo } = record;
  session.record({ type: "rewound", at: session.ports.now(), toVersion, isUndo });
  const messagesRemoved = before - log.messages().length;
  return { version, toVersion, messagesRemoved, ...(filesId === undefined ? {} : { filesId }) };
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
