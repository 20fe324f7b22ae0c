import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { PalimpsestError } from "../core/errors.ts";
import { parseJson } from "../core/json/parse-json.ts";
import { entriesOf, fieldOf } from "./file-system.ts";
import type { RunGit } from "./git.ts";
import { isLockFile } from "./lock.ts";
import { GIT_FILE } from "./processes.ts";

/** A file that marks a storage folder as ours, and names its workspace. */
const MARKER = "palimpsest-checkpoints.json";
const UNFINISHED_MARKER = `${MARKER}.unfinished`;
const REPOSITORY = "git";
const UNFINISHED_REPOSITORY = "git.unfinished";

/** Override the workspace's own .gitattributes: no filters, no conversion of line ends or encodings. */
const ATTRIBUTES = "* -text -ident -filter !working-tree-encoding !diff !eol\n";

/** The shadow repository's folder in a storage folder. */
export function gitFolderIn(storageFolder: string): string {
  return join(storageFolder, REPOSITORY);
}

/** The workspace whose checkpoints are stored here; undefined where none are. Throws where the folder has files that are not ours. */
export function ownerOf(storageFolder: string): string | undefined {
  if (!existsSync(storageFolder)) return undefined;
  if (existsSync(join(storageFolder, MARKER))) return readMarker(storageFolder);
  if (readdirSync(storageFolder).every((name) => name === UNFINISHED_MARKER || isLockFile(name))) return undefined;
  throw new PalimpsestError(
    "checkpoint-failed",
    `The storage folder ${storageFolder} holds other files. Pass a folder that is empty or does not exist.`,
  );
}

/** Whether this workspace's checkpoints are stored here; throws where those of another workspace are. */
export function isStorageOf(workspace: string, storageFolder: string): boolean {
  const owner = ownerOf(storageFolder);
  if (owner === undefined || owner === workspace) return owner !== undefined;
  throw new PalimpsestError(
    "checkpoint-failed",
    `The storage folder ${storageFolder} keeps checkpoints of ${owner}, not of ${workspace}. Use one storage folder for each.`,
  );
}

/** Marks the storage folder as the workspace's. */
export function claimStorage(workspace: string, storageFolder: string): void {
  if (isStorageOf(workspace, storageFolder)) return;
  writeFileSync(join(storageFolder, UNFINISHED_MARKER), `${JSON.stringify({ version: 1, workspace })}\n`);
  renameSync(join(storageFolder, UNFINISHED_MARKER), join(storageFolder, MARKER));
}

/** Creates the repository where there is none, atomically. */
export async function createRepository(storageFolder: string, gitOn: (gitFolder: string) => RunGit): Promise<void> {
  if (existsSync(gitFolderIn(storageFolder))) return;
  const unfinished = join(storageFolder, UNFINISHED_REPOSITORY);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(join(unfinished, "info"), { recursive: true });
  writeFileSync(join(unfinished, "info", "attributes"), ATTRIBUTES);
  const environment = { GIT_DEFAULT_HASH: "sha1" };
  await gitOn(unfinished)(["init", "--bare", "--quiet", "--template=", unfinished], { environment });
  renameSync(unfinished, gitFolderIn(storageFolder));
}

/** Removes files that a killed process left behind. The caller must hold the lock. */
export function clearLeftovers(gitFolder: string): void {
  const references = join(gitFolder, "refs", "checkpoints");
  for (const { name } of entriesOf(references)) if (name.endsWith(".lock")) rmSync(join(references, name));
  for (const { name } of entriesOf(gitFolder)) {
    if (name.endsWith(".lock") || name.startsWith("index.")) rmSync(join(gitFolder, name));
  }
}

/** Removes our own files from a storage folder, and the folder if it is empty then. */
export function clearStorage(storageFolder: string): void {
  const locks = readdirSync(storageFolder).filter(isLockFile);
  for (const name of [REPOSITORY, UNFINISHED_REPOSITORY, GIT_FILE, MARKER, ...locks]) {
    rmSync(join(storageFolder, name), { recursive: true, force: true });
  }
  if (readdirSync(storageFolder).length === 0) rmdirSync(storageFolder);
}

function readMarker(storageFolder: string): string {
  const path = join(storageFolder, MARKER);
  try {
    const marker: unknown = parseJson(readFileSync(path, "utf8"));
    const [version, workspace] = [fieldOf(marker, "version"), fieldOf(marker, "workspace")];
    if (version === 1 && typeof workspace === "string") return workspace;
  } catch {
    // The error below covers this, too.
  }
  throw new PalimpsestError(
    "checkpoint-failed",
    `${path} is damaged, or of a newer version. Restore it, or start a new storage folder.`,
  );
}
