import { accessSync, constants, lstatSync } from "node:fs";
import { join } from "node:path";
import type { CheckpointDetails, SkippedFile, SkipReason } from "./checkpoint.ts";
import { hasCode } from "./file-system.ts";
import type { ListedFiles } from "./list-files.ts";
import { visitInSlices } from "./slices.ts";

export interface ExaminedFiles {
  /** What can be saved. */
  readonly paths: readonly string[];
  readonly details: CheckpointDetails;
}

const EVERYONE_READS = 0o044;

/** Sorts listed files into those that can be saved and those that must be skipped. */
export async function examineFiles(
  workspace: string,
  listed: ListedFiles,
  maxFileBytes: number,
): Promise<ExaminedFiles> {
  const paths: string[] = [];
  const skipped: SkippedFile[] = [...listed.skipped];
  const privatePaths: Record<string, string[]> = {};
  await visitInSlices(listed.paths, (path) => {
    const verdict = examine(join(workspace, path), maxFileBytes);
    if (verdict.type === "skip") skipped.push({ path, reason: verdict.reason });
    if (verdict.type !== "save") return;
    paths.push(path);
    if (verdict.permissions === undefined) return;
    privatePaths[verdict.permissions] ??= [];
    privatePaths[verdict.permissions]?.push(path);
  });
  return { paths, details: { skipped, private: privatePaths } };
}

type Verdict =
  /** `permissions` of a file that not everyone may read. */
  | { readonly type: "save"; readonly permissions: string | undefined }
  | { readonly type: "skip"; readonly reason: SkipReason }
  /** It went away since it was listed. */
  | { readonly type: "gone" };

function examine(path: string, maxFileBytes: number): Verdict {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isDirectory()) return { type: "gone" };
    if (found.isSymbolicLink()) return { type: "save", permissions: undefined };
    if (!found.isFile()) return { type: "skip", reason: "special" };
    if (found.size > maxFileBytes) return { type: "skip", reason: "too-large" };
    accessSync(path, constants.R_OK);
    const isPrivate = process.platform !== "win32" && (found.mode & EVERYONE_READS) !== EVERYONE_READS;
    return { type: "save", permissions: isPrivate ? (found.mode & 0o777).toString(8) : undefined };
  } catch (error) {
    return hasCode(error, "ENOENT", "ENOTDIR") ? { type: "gone" } : { type: "skip", reason: "unreadable" };
  }
}
