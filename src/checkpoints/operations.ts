import { rmSync } from "node:fs";
import { join } from "node:path";
import { describeError } from "../core/describe-error.ts";
import { PalimpsestError } from "../core/errors.ts";
import type {
  FileChange,
  KeptFile,
  RestoredFile,
  RestoredFiles,
  SavedCheckpoint,
  WorkspaceCheckpoint,
} from "./checkpoint.ts";
import { compareForPeople } from "./compare.ts";
import { visitInSlices } from "./file-system.ts";
import type { RunGit } from "./git.ts";
import { listFiles } from "./list-files.ts";
import { readInBatches } from "./objects.ts";
import { type FileToWrite, planRestore, type RestorePlan } from "./plan-restore.ts";
import { type Outcome, removeFile, type SavedFolder, writeFile } from "./replace-file.ts";
import {
  type CheckpointReference,
  deleteReferences,
  detailsOf,
  findReference,
  readReferences,
  type ShadowRepository,
  toCheckpoint,
  writeCommitTree,
  writeReference,
} from "./shadow-repository.ts";
import { stageFiles } from "./stage-files.ts";
import { compareTrees, EMPTY_TREE } from "./tree-changes.ts";

interface Moment {
  readonly at: number;
  readonly message: string;
}

export async function saveCheckpoint(repository: ShadowRepository, moment: Moment): Promise<SavedCheckpoint> {
  const { runGit } = repository;
  const staged = await stageFiles(repository);
  const tree = await writeCommitTree(runGit, staged);
  const [newest] = await readReferences(runGit);
  if (newest?.tree === tree) return { ...toCheckpoint(newest, staged.details), filesChanged: 0, isNew: false };
  const changes = await compareTrees(runGit, newest === undefined ? EMPTY_TREE : filesOf(newest), staged.tree);
  const number = (newest?.number ?? 0) + 1;
  const written = await writeReference(runGit, { ...moment, tree, number, filesChanged: changes.length });
  return { ...toCheckpoint(written, staged.details), isNew: true };
}

export async function restoreCheckpoint(
  repository: ShadowRepository,
  { id, at }: { readonly id: string; readonly at: number },
): Promise<RestoredFiles> {
  const { runGit } = repository;
  const target = await findReference(runGit, id);
  // By the system's clock, which the file system uses too, not the caller's; rounded up, because file times have fractions.
  const savedMs = Date.now() + 1;
  const saved = await saveCheckpoint(repository, { at, message: `Before restoring ${id}` });
  const [details] = await detailsOf(runGit, [id]);
  const changes = await compareTrees(runGit, filesOf(saved), filesOf(target));
  const plan = planRestore(changes, details ?? { skipped: [], private: {} });
  try {
    return { savedId: saved.id, ...(await restoreFiles(repository, plan, savedMs)) };
  } catch (error) {
    throw new PalimpsestError(
      "checkpoint-failed",
      `Restoring ${id} stopped half way: ${describeError(error)}. Nothing is lost: restore ${saved.id} to undo it.`,
    );
  }
}

/** The files that restoring a checkpoint would write and remove now. */
export async function previewRestore(repository: ShadowRepository, id: string): Promise<readonly RestoredFile[]> {
  const { runGit } = repository;
  const target = await findReference(runGit, id);
  const { tree } = await stageFiles(repository);
  const [details] = await detailsOf(runGit, [id]);
  const changes = await compareTrees(runGit, tree, filesOf(target));
  const { rules, files, removals } = planRestore(changes, details ?? { skipped: [], private: {} });
  return [
    ...[...rules, ...files].map(({ path }) => ({ path, type: "written" as const })),
    ...removals.map((path) => ({ path, type: "removed" as const })),
  ];
}

export async function listCheckpoints({ runGit }: ShadowRepository): Promise<readonly WorkspaceCheckpoint[]> {
  const references = await readReferences(runGit);
  const ids = references.map(({ id }) => id);
  const details = await detailsOf(runGit, ids);
  return references.map((reference, index) => toCheckpoint(reference, details[index] ?? { skipped: [], private: {} }));
}

export async function diffCheckpoints(
  { runGit }: ShadowRepository,
  fromId: string,
  toId: string,
): Promise<readonly FileChange[]> {
  const [from, to] = [await findReference(runGit, fromId), await findReference(runGit, toId)];
  return compareForPeople(runGit, filesOf(from), filesOf(to));
}

export async function diffWithNow(repository: ShadowRepository, fromId: string): Promise<readonly FileChange[]> {
  const from = await findReference(repository.runGit, fromId);
  return compareForPeople(repository.runGit, filesOf(from), (await stageFiles(repository)).tree);
}

/** Deletes all but the newest checkpoints; returns the ids of the deleted ones. */
export async function pruneCheckpoints(repository: ShadowRepository, keep: number): Promise<readonly string[]> {
  const { runGit, gitFolder } = repository;
  const references = await readReferences(runGit);
  const removed = references.slice(keep);
  if (removed.length > 0) await deleteReferences(runGit, removed);
  // Git keeps the objects that the index names; it is only a cache.
  if (removed.length === references.length) rmSync(join(gitFolder, "index"), { force: true });
  await runGit(["repack", "-a", "-d", "-q"], { settings: { "repack.writeBitmaps": "false" } });
  await runGit(["prune", "--expire=now"]);
  await runGit(["pack-refs", "--all"]);
  return removed.map(({ id }) => id);
}

function filesOf({ id }: Pick<CheckpointReference, "id">): string {
  return `${id}:files`;
}

interface Report {
  readonly changed: RestoredFile[];
  readonly kept: KeptFile[];
}

/** Carries out a plan. The current files must have been saved before. */
async function restoreFiles(repository: ShadowRepository, plan: RestorePlan, savedMs: number): Promise<Report> {
  const { runGit, workspace } = repository;
  const folder = { workspace, savedMs };
  const report: Report = { changed: [], kept: [...plan.kept] };
  // Rules that cannot be written yet, because something is in the place of their folder, are retried with the other files.
  const firstTry = await writeFiles(runGit, folder, plan.rules);
  for (const { file, outcome } of firstTry) if (outcome.type === "done") addTo(report, file.path, "written", outcome);
  const retried = firstTry.flatMap(({ file, outcome }) => (outcome.type === "kept" ? [file] : []));

  const notIgnored = plan.rules.length === 0 ? undefined : new Set((await listFiles(runGit, workspace)).paths);
  await visitInSlices(plan.removals, (path) => {
    const isIgnored = notIgnored !== undefined && !notIgnored.has(path);
    const outcome: Outcome = isIgnored ? { type: "kept", reason: "ignored" } : removeFile(folder, path);
    addTo(report, path, "removed", outcome);
  });
  for (const { file, outcome } of await writeFiles(runGit, folder, [...retried, ...plan.files])) {
    addTo(report, file.path, "written", outcome);
  }
  return report;
}

async function writeFiles(runGit: RunGit, folder: SavedFolder, files: readonly FileToWrite[]) {
  const written: { readonly file: FileToWrite; readonly outcome: Outcome }[] = [];
  for await (const { item, content } of readInBatches(runGit, files)) {
    written.push({ file: item, outcome: writeFile(folder, item, content) });
  }
  return written;
}

function addTo({ changed, kept }: Report, path: string, type: RestoredFile["type"], outcome: Outcome): void {
  switch (outcome.type) {
    case "done":
      changed.push({ path, type });
      break;
    case "kept":
      kept.push({ path, reason: outcome.reason });
      break;
  }
}
