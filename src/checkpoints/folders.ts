import { type BigIntStats, existsSync, realpathSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { PalimpsestError } from "../core/errors.ts";

/** Personal folders, too large and too private to be copied by mistake. */
const PERSONAL_FOLDERS: readonly string[] = ["Desktop", "Documents", "Downloads"];

/** The real path of a workspace; throws where it may not be checkpointed into this storage folder. */
export function assertWorkspace(workspace: string, storageFolder: string): string {
  const found = statSync(workspace, { throwIfNoEntry: false });
  if (found === undefined) throw refusal(workspace, "it does not exist. Check the path");
  if (!found.isDirectory()) throw refusal(workspace, "it is no folder. Pass the folder that holds the files");
  const path = realpathSync.native(workspace);
  if (dirname(path) === path) throw refusal(workspace, "it is the root of a file system. Choose a project's folder");
  assertNotPersonal(workspace, path);
  assertApart(path, storageFolder);
  return path;
}

function assertNotPersonal(workspace: string, path: string): void {
  for (const home of homeFolders()) {
    if (isInside(home, path)) throw refusal(workspace, "it is or holds the home folder. Choose a project's folder");
    const personal = PERSONAL_FOLDERS.find((name) => isSameFolder(join(home, name), path));
    if (personal !== undefined) throw refusal(workspace, `it is the ${personal} folder. Choose a project's folder`);
  }
}

function assertApart(path: string, storageFolder: string): void {
  if (isInside(nearestExisting(storageFolder), path)) {
    throw refusal(path, `the storage folder ${storageFolder} lies inside it. Store checkpoints elsewhere`);
  }
  if (existsSync(storageFolder) && isInside(path, storageFolder)) {
    throw refusal(path, `it lies inside the storage folder ${storageFolder}. Store checkpoints elsewhere`);
  }
}

/** The home folders that the environment and the user's account name. */
function homeFolders(): readonly string[] {
  const account = () => {
    try {
      return [userInfo().homedir];
    } catch {
      return []; // a user without an account, as in some containers
    }
  };
  return [homedir(), ...account()].filter((home) => home !== "" && existsSync(home));
}

/** Whether a folder is the other one or is inside it, whatever links, dots and letter case its path has. */
function isInside(folder: string, other: string): boolean {
  for (let current = realpathSync.native(folder); ; current = dirname(current)) {
    if (isSameFolder(current, other)) return true;
    if (dirname(current) === current) return false;
  }
}

function isSameFolder(first: string, second: string): boolean {
  const [one, other] = [identityOf(first), identityOf(second)];
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

function identityOf(path: string): Pick<BigIntStats, "dev" | "ino"> | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined; // in a home folder that we may not enter
  }
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

function refusal(workspace: string, reason: string): PalimpsestError {
  return new PalimpsestError("checkpoint-failed", `Cannot checkpoint ${workspace}: ${reason}.`);
}
