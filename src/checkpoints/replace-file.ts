import {
  chmodSync,
  lstatSync,
  mkdirSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { KeepReason } from "./checkpoint.ts";
import { hasCode } from "./file-system.ts";
import { foldersOf } from "./left-out.ts";
import type { FileToWrite } from "./plan-restore.ts";

export type Outcome = { readonly type: "done" } | { readonly type: "kept"; readonly reason: KeepReason };

/** The workspace to change, and when it was saved. */
export interface SavedFolder {
  readonly workspace: string;
  /** Files that were changed after this time may not have been saved. */
  readonly savedMs: number;
}

const DONE: Outcome = { type: "done" };

/** Writes a file or link, in place of a saved one or of none. Never follows a link, and never replaces an unsaved file. */
export function writeFile({ workspace, savedMs }: SavedFolder, file: FileToWrite, content: Buffer): Outcome {
  return keepOnError(() => {
    if (!hasRealFolders(workspace, file.path, "create")) return { type: "kept", reason: "no-folder" };
    const path = join(workspace, file.path);
    const present = lstatSync(path, { throwIfNoEntry: false });
    if (present !== undefined) {
      if (!file.isSaved || !isAsSaved(present, savedMs)) return { type: "kept", reason: "unsaved" };
      unlinkSync(path);
    }
    if (file.kind === "link") symlinkSync(content.toString(), path);
    else create(path, content, { isExecutable: file.kind === "executable", permissions: permissionsOf(file, present) });
    return DONE;
  });
}

/** Removes a saved file, and the folders that this leaves empty. */
export function removeFile({ workspace, savedMs }: SavedFolder, path: string): Outcome {
  return keepOnError(() => {
    if (!hasRealFolders(workspace, path, "demand")) return { type: "kept", reason: "no-folder" };
    const present = lstatSync(join(workspace, path), { throwIfNoEntry: false });
    if (present !== undefined) {
      if (!isAsSaved(present, savedMs)) return { type: "kept", reason: "unsaved" };
      unlinkSync(join(workspace, path));
    }
    for (const folder of foldersOf(path)) {
      try {
        rmdirSync(join(workspace, folder));
      } catch {
        break; // not empty
      }
    }
    return DONE;
  });
}

function isAsSaved(present: Stats, savedMs: number): boolean {
  return !present.isDirectory() && present.ctimeMs <= savedMs;
}

/** Whether every folder on the path is a real folder, not a link, which could lead anywhere. */
function hasRealFolders(workspace: string, path: string, missing: "create" | "demand"): boolean {
  for (const folder of [...foldersOf(path)].reverse()) {
    const found = lstatSync(join(workspace, folder), { throwIfNoEntry: false });
    if (found === undefined && missing === "create") mkdirSync(join(workspace, folder));
    else if (!found?.isDirectory()) return false;
  }
  return true;
}

interface Creation {
  readonly isExecutable: boolean;
  readonly permissions: number | undefined;
}

function create(path: string, content: Buffer, { isExecutable, permissions }: Creation): void {
  // "wx" fails where a file or a link was created meanwhile.
  writeFileSync(path, content, { flag: "wx", mode: permissions ?? (isExecutable ? 0o777 : 0o666) });
  if (permissions !== undefined) chmodSync(path, permissions);
}

/** The recorded permissions, or those of the current file with the execute bits adapted; undefined where there are neither. */
function permissionsOf({ permissions, kind }: FileToWrite, present: Stats | undefined): number | undefined {
  if (permissions !== undefined || !present?.isFile()) return permissions;
  const current = present.mode & 0o777;
  return kind === "executable" ? current | ((current & 0o444) >> 2) : current & ~0o111;
}

/** Runs the action; errors that concern this file alone mean that it is kept. */
function keepOnError(action: () => Outcome): Outcome {
  try {
    return action();
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM", "EROFS", "ETXTBSY", "EBUSY")) return { type: "kept", reason: "unwritable" };
    if (hasCode(error, "EEXIST", "ENOTDIR")) return { type: "kept", reason: "unsaved" };
    throw error;
  }
}
