import { accessSync, constants, type Dirent } from "node:fs";
import { join } from "node:path";
import type { SkippedFile } from "./checkpoint.ts";
import { entriesOf } from "./file-system.ts";
import type { GitOptions, RunGit } from "./git.ts";
import { foldersOf, LEFT_OUT_FOLDERS } from "./left-out.ts";
import { decodeNames, encodeNames } from "./names.ts";
import { visitInSlices } from "./slices.ts";

interface Listed {
  readonly files: readonly string[];
  /** Repositories below, each with a slash at its end. */
  readonly nested: readonly string[];
  /** How the list was made. */
  readonly options: GitOptions;
}

/** What git passes over in silence, beside the files it lists: sockets, pipes, devices, and folders that cannot be read. */
export async function findUnlisted(runGit: RunGit, folder: string, listed: Listed): Promise<readonly SkippedFile[]> {
  const nested = listed.nested.map((name) => name.slice(0, -1));
  const folders = new Set(["", ...[...listed.files, ...nested].flatMap(foldersOf)]);
  const known = new Set([...folders, ...nested]);
  const found: SkippedFile[] = [];
  await visitInSlices(folders, (path) => {
    for (const entry of entriesOf(join(folder, path))) {
      const entryPath = path === "" ? entry.name : `${path}/${entry.name}`;
      if (isSpecial(entry)) found.push({ path: entryPath, reason: "special" });
      else if (!entry.isDirectory() || known.has(entryPath)) continue;
      else if (isUnreadableFolder(folder, entryPath, entry.name)) found.push({ path: entryPath, reason: "unreadable" });
    }
  });
  if (found.length === 0) return [];
  const input = encodeNames(found.map(({ path }) => path));
  const output = await runGit(["check-ignore", "-z", "--stdin"], { ...listed.options, input, answers: [1] });
  const ignored = new Set(decodeNames(output).names);
  return found.filter(({ path }) => !ignored.has(path));
}

function isSpecial(entry: Dirent): boolean {
  return entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice();
}

function isUnreadableFolder(folder: string, path: string, name: string): boolean {
  if (name.toLowerCase() === ".git" || LEFT_OUT_FOLDERS.includes(name)) return false;
  try {
    accessSync(join(folder, path), constants.R_OK | constants.X_OK);
    return false;
  } catch {
    return true;
  }
}
