import type { KeptFile, RestoredFile } from "../../checkpoints/checkpoint.ts";
import { type Fold, listFolds } from "../../core/history/list-folds.ts";
import type { Store } from "../../core/ports/store.ts";
import type { WorkspaceFiles } from "../../core/ports/workspace.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { createEngine } from "../../engine/create-engine.ts";
import type { LogHistory } from "../../engine/session/journal/log-history.ts";
import type { RewindTarget } from "../../engine/session/rewind.ts";
import type { Session } from "../../engine/session/session.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { type MessageLine, messageLine } from "./read-sessions.ts";
import { type PlacedMessage, placedLog, placedView, readHistory, saidOnPath } from "./session-history.ts";
import type { RecordedFiles } from "./workspace-storage.ts";

/** What a rewind did, or would do. */
export interface RewindOutcome {
  readonly session: string;
  readonly isDryRun: boolean;
  /** Whether it takes an earlier rewind back. */
  readonly isUndo: boolean;
  readonly fromVersion: number;
  readonly toVersion: number;
  readonly removed: readonly MessageLine[];
  readonly broughtBack: readonly MessageLine[];
  readonly foldsRemoved: readonly Fold[];
  readonly foldsBroughtBack: readonly Fold[];
  readonly viewTokensBefore: number;
  readonly viewTokensAfter: number;
  /** Undefined if the files were left alone. */
  readonly files: FilesOutcome | undefined;
}

export interface FilesOutcome {
  /** The checkpoint whose files are restored. */
  readonly filesId: string;
  readonly changed: readonly RestoredFile[];
  /** The files that were left alone, because they could not be restored later. Empty for a dry run, which does not know them. */
  readonly kept: readonly KeptFile[];
}

export interface RewindPlan {
  readonly target: RewindTarget;
  /** A copy of the session for a dry run; undefined to rewind the session itself. */
  readonly rehearsal: Session | undefined;
  /** The files to rewind with the session; undefined to leave them alone. */
  readonly files: RecordedFiles | undefined;
}

/** Rewinds a session, or a copy of it for a dry run, and returns the differences. */
export async function rewindAndCompare(session: Session, plan: RewindPlan): Promise<RewindOutcome> {
  const { target, rehearsal, files } = plan;
  const subject = rehearsal ?? session;
  const before = await readHistory(subject);
  const { toVersion, filesId } = await subject.rewind({ ...target, files: files !== undefined });
  const after = await readHistory(subject);
  const [isDryRun, isUndo] = [rehearsal !== undefined, "undo" in target];
  const changed = files === undefined || filesId === undefined ? undefined : await outcomeOf(files, filesId);
  return {
    session: session.id,
    isDryRun,
    isUndo,
    fromVersion: before.version(),
    toVersion,
    ...compare(before, after),
    files: changed,
  };
}

function compare(before: LogHistory, after: LogHistory) {
  const [saidBefore, saidAfter] = [saidOnPath(before), saidOnPath(after)];
  const [logBefore, logAfter] = [placedLog(before), placedLog(after)];
  const [foldsBefore, foldsAfter] = [listFolds(logBefore.map(messageOf)), listFolds(logAfter.map(messageOf))];
  return {
    removed: missingFrom(saidAfter, saidBefore).map(messageLine),
    broughtBack: missingFrom(saidBefore, saidAfter).map(messageLine),
    foldsRemoved: foldsMissingFrom(foldsAfter, foldsBefore),
    foldsBroughtBack: foldsMissingFrom(foldsBefore, foldsAfter),
    viewTokensBefore: countMessagesTokens(placedView(logBefore).map(messageOf)),
    viewTokensAfter: countMessagesTokens(placedView(logAfter).map(messageOf)),
  };
}

function messageOf({ message }: PlacedMessage) {
  return message;
}

/** The messages of `all` that are not among `some`, compared by version: ids may be missing or occur twice. */
function missingFrom(some: readonly PlacedMessage[], all: readonly PlacedMessage[]): readonly PlacedMessage[] {
  const versions = new Set(some.map(({ version }) => version));
  return all.filter(({ version }) => !versions.has(version));
}

function foldsMissingFrom(some: readonly Fold[], all: readonly Fold[]): readonly Fold[] {
  const ids = new Set(some.map(({ foldId }) => foldId));
  return all.filter(({ foldId }) => !ids.has(foldId));
}

async function outcomeOf(files: RecordedFiles, filesId: string): Promise<FilesOutcome> {
  const restored = files.restored();
  if (restored !== undefined) return { filesId, changed: restored.changed, kept: restored.kept };
  return { filesId, changed: await files.checkpoints.preview(filesId), kept: [] };
}

/** A copy of a session in memory for a dry run. Its checkpoints name their files, but no file is touched. */
export async function rehearsalOf(session: Session, store: Store): Promise<Session> {
  const copy = memoryStore();
  const engine = createEngine({ model: "claude-sonnet-4-5", store: copy });
  (await engine.importSession(await session.export())).close();
  const [original, rehearsed] = [await store.find(session.id), await copy.open(session.id)];
  const checkpoints = original === undefined ? [] : await store.listCheckpoints(original.key);
  for (const checkpoint of checkpoints.toReversed()) await copy.saveCheckpoint(rehearsed.key, checkpoint);
  return engine.session(session.id, { workspace: NO_FILES });
}

const NO_FILES: WorkspaceFiles = {
  save: async () => ({ id: "rehearsal" }),
  restore: async () => ({ savedId: "rehearsal" }),
};
