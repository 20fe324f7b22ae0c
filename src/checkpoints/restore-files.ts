import type { KeptFile, RestoredFile } from "./checkpoint.ts";
import type { RunGit } from "./git.ts";
import { listFiles } from "./list-files.ts";
import { readInBatches } from "./objects.ts";
import type { FileToWrite, RestorePlan } from "./plan-restore.ts";
import { type Outcome, removeFile, type SavedFolder, writeFile } from "./replace-file.ts";
import type { ShadowRepository } from "./shadow-repository.ts";
import { visitInSlices } from "./slices.ts";

interface Report {
  readonly changed: RestoredFile[];
  readonly kept: KeptFile[];
}

/** Carries out a plan. The present must have been saved. */
export async function restoreFiles(repository: ShadowRepository, plan: RestorePlan, savedMs: number): Promise<Report> {
  const { runGit, workspace } = repository;
  const folder = { workspace, savedMs };
  const report: Report = { changed: [], kept: [...plan.kept] };
  // Rules in a folder that is not there yet ignore nothing that is; they come with the other files.
  const early = await writeFiles(runGit, folder, plan.rules);
  for (const { file, outcome } of early) if (outcome.type === "done") note(report, file.path, "written", outcome);
  const late = early.flatMap(({ file, outcome }) => (outcome.type === "kept" ? [file] : []));

  const removable = plan.rules.length === 0 ? undefined : await listFiles(runGit, workspace);
  const listed = removable === undefined ? undefined : new Set(removable.paths);
  await visitInSlices(plan.removals, (path) => {
    const isIgnored = listed !== undefined && !listed.has(path);
    const outcome: Outcome = isIgnored ? { type: "kept", reason: "ignored" } : removeFile(folder, path);
    note(report, path, "removed", outcome);
  });
  for (const { file, outcome } of await writeFiles(runGit, folder, [...late, ...plan.files])) {
    note(report, file.path, "written", outcome);
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

function note({ changed, kept }: Report, path: string, type: RestoredFile["type"], outcome: Outcome): void {
  switch (outcome.type) {
    case "done":
      changed.push({ path, type });
      break;
    case "kept":
      kept.push({ path, reason: outcome.reason });
      break;
  }
}
