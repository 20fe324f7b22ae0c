import { describeError } from "../core/describe-error.ts";
import { PalimpsestError } from "../core/errors.ts";

const LONGEST_PATH = 80;

/** By the codes of the file system. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file. Check the path.",
  ENOTDIR: "a part of the path is no folder. Check the path.",
  EISDIR: "it is a folder. Name one session file in it.",
  ENAMETOOLONG: "that is too long for a path. Pass the path of a file, not what it holds.",
  EACCES: "its permissions do not allow it. Change them, or copy the file.",
  EPERM: "its permissions do not allow it. Change them, or copy the file.",
};

/** The error for a file that the file system does not give, with what to do about it. */
export function unreadableFile(path: string, error: unknown): PalimpsestError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = REASONS[code] ?? `${describeError(error)}. Check the path and the disk.`;
  return new PalimpsestError("invalid-argument", `Cannot read ${shortPath(path)}: ${reason}`);
}

/** A path for an error message: of a long one, the end says more than the beginning. */
export function shortPath(path: string): string {
  return path.length > LONGEST_PATH ? `…${path.slice(-LONGEST_PATH)}` : path;
}
