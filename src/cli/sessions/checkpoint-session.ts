import type { FileChange, SkippedFile } from "../../checkpoints/checkpoint.ts";
import type { SessionCheckpoint } from "../../engine/session/checkpoints.ts";
import type { Session } from "../../engine/session/session.ts";
import { CommandError } from "../terminal/command-error.ts";
import { findId } from "../terminal/find-id.ts";
import type { RecordedFiles } from "./workspace-storage.ts";

/** An action on the checkpoints of a session. */
export type CheckpointAction =
  | { readonly type: "save"; readonly keep: number | undefined }
  | { readonly type: "list" }
  | { readonly type: "diff"; readonly checkpointId: string }
  | { readonly type: "disk" }
  | { readonly type: "prune"; readonly keep: number };

export type CheckpointOutcome =
  | {
      readonly type: "saved";
      readonly checkpoint: SessionCheckpoint;
      /** Undefined if only the log was kept. */
      readonly files: { readonly changed: number; readonly skipped: readonly SkippedFile[] } | undefined;
    }
  | { readonly type: "listed"; readonly checkpoints: readonly SessionCheckpoint[] }
  | { readonly type: "compared"; readonly checkpointId: string; readonly changes: readonly FileChange[] }
  | { readonly type: "measured"; readonly bytes: number }
  | {
      readonly type: "pruned";
      readonly removed: readonly string[];
      readonly freedBytes: number;
      /** The session's checkpoints whose files are gone; their messages are still there. */
      readonly withoutFiles: readonly string[];
    };

export async function runCheckpoint(
  session: Session,
  files: RecordedFiles,
  action: CheckpointAction,
): Promise<CheckpointOutcome> {
  switch (action.type) {
    case "save": {
      const checkpoint = await session.checkpoint({ keep: action.keep });
      const saved = files.saved();
      const counted = saved && { changed: saved.isNew ? saved.filesChanged : 0, skipped: saved.skipped };
      return { type: "saved", checkpoint, files: counted };
    }
    case "list":
      return { type: "listed", checkpoints: await session.checkpoints() };
    case "diff":
      return compare(session, files, action.checkpointId);
    case "disk":
      return { type: "measured", ...(await files.checkpoints.diskUse()) };
    case "prune":
      return prune(session, files, action.keep);
  }
}

async function compare(session: Session, files: RecordedFiles, named: string): Promise<CheckpointOutcome> {
  const all = await session.checkpoints();
  const ids = all.map(({ id }) => id);
  const checkpointId = findId(named, ids, "checkpoint");
  const filesId = all.find(({ id }) => id === checkpointId)?.filesId;
  if (filesId === undefined) throw new CommandError(1, `The checkpoint ${JSON.stringify(checkpointId)} has no files.`);
  return { type: "compared", checkpointId, changes: await files.checkpoints.diff(filesId) };
}

async function prune(session: Session, files: RecordedFiles, keep: number): Promise<CheckpointOutcome> {
  const { removed, freedBytes } = await files.checkpoints.prune({ keep });
  const gone = new Set(removed);
  const withoutFiles = (await session.checkpoints()).flatMap(({ id, filesId }) =>
    filesId !== undefined && gone.has(filesId) ? [id] : [],
  );
  return { type: "pruned", removed, freedBytes, withoutFiles };
}
