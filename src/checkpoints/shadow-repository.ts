import { PalimpsestError } from "../core/errors.ts";
import type { CheckpointDetails, WorkspaceCheckpoint } from "./checkpoint.ts";
import type { RunGit } from "./git.ts";
import { readObjects } from "./objects.ts";
import { readDetails, readRecord } from "./records.ts";
import type { StagedFiles } from "./stage-files.ts";

export interface ShadowRepository {
  readonly runGit: RunGit;
  readonly gitFolder: string;
  readonly workspace: string;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  readonly maxTotalBytes: number;
  /** Whether this git can write many new files into one pack; older ones would write a pack for each. */
  readonly canPackOnWriting: boolean;
}

/** A checkpoint: a reference to a commit without parents, so that any checkpoint can be deleted. */
export interface CheckpointReference {
  readonly id: string;
  readonly number: number;
  readonly tree: string;
  readonly at: number;
  readonly message: string;
  readonly filesChanged: number;
}

const REFERENCES = "refs/checkpoints";
const DETAILS = "details.json";
const AUTHOR = { NAME: "Palimpsest", EMAIL: "checkpoints@palimpsest.invalid" };

/** All checkpoints, the newest first. */
export async function readReferences(runGit: RunGit): Promise<readonly CheckpointReference[]> {
  const format = "%(objectname) %(tree) %(refname) %(contents:subject)";
  const output = await runGit(["for-each-ref", "--sort=-refname", `--format=${format}`, REFERENCES]);
  return output
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [id = "", tree = "", name = ""] = line.split(" ", 3);
      const record = readRecord(line.slice(id.length + tree.length + name.length + 3));
      return { id, tree, number: Number(name.slice(REFERENCES.length + 1)), ...record };
    });
}

export async function findReference(runGit: RunGit, id: string): Promise<CheckpointReference> {
  const found = (await readReferences(runGit)).find((reference) => reference.id === id);
  if (found !== undefined) return found;
  throw unknownCheckpoint(id);
}

export function unknownCheckpoint(id: string): PalimpsestError {
  return new PalimpsestError("not-found", `There is no workspace checkpoint ${id}. list() names those there are.`);
}

/** The details of checkpoints, in the order of the ids. */
export async function detailsOf(runGit: RunGit, ids: readonly string[]): Promise<readonly CheckpointDetails[]> {
  const objects = await readObjects(
    runGit,
    ids.map((id) => `${id}:${DETAILS}`),
  );
  return objects.map((object) => readDetails(object.toString()));
}

export function toCheckpoint(reference: CheckpointReference, details: CheckpointDetails): WorkspaceCheckpoint {
  const { id, at, message, filesChanged } = reference;
  return { id, at, message, filesChanged, skipped: details.skipped };
}

/** Writes the tree of a commit: the tree of the files, and the details beside it. */
export async function writeCommitTree(runGit: RunGit, { tree, details }: StagedFiles): Promise<string> {
  const blob = await runGit(["hash-object", "-w", "--stdin"], { input: JSON.stringify(details) });
  const entries = `100644 blob ${blob.toString().trim()}\t${DETAILS}\n040000 tree ${tree}\tfiles\n`;
  return (await runGit(["mktree"], { input: entries })).toString().trim();
}

export async function writeReference(
  runGit: RunGit,
  checkpoint: Omit<CheckpointReference, "id">,
): Promise<CheckpointReference> {
  const { tree, ...record } = checkpoint;
  const date = `${Math.floor(checkpoint.at / 1000)} +0000`;
  const environment = {
    GIT_AUTHOR_NAME: AUTHOR.NAME,
    GIT_AUTHOR_EMAIL: AUTHOR.EMAIL,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: AUTHOR.NAME,
    GIT_COMMITTER_EMAIL: AUTHOR.EMAIL,
    GIT_COMMITTER_DATE: date,
  };
  const output = await runGit(["commit-tree", tree], { environment, input: `${JSON.stringify(record)}\n` });
  const id = output.toString().trim();
  // The zeros demand that the reference does not exist yet.
  await runGit(["update-ref", referenceName(checkpoint.number), id, "0".repeat(id.length)]);
  return { ...checkpoint, id };
}

export async function deleteReferences(runGit: RunGit, references: readonly CheckpointReference[]): Promise<void> {
  const input = references.map(({ number, id }) => `delete ${referenceName(number)} ${id}\n`).join("");
  await runGit(["update-ref", "--stdin"], { input });
}

function referenceName(number: number): string {
  return `${REFERENCES}/${String(number).padStart(10, "0")}`;
}
