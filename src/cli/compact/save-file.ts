import { realpath, writeFile } from "node:fs/promises";
import { describeError } from "../../core/describe-error.ts";
import { asText, fieldAt } from "../../core/json/read-json.ts";
import { CommandError } from "../terminal/command-error.ts";

export interface SaveOptions {
  /** The session file that the content was made from; "-" if it is none. */
  readonly source: string;
  /** The option that named the file, for errors. @default "--output" */
  readonly option?: string;
}

/** Writes a file. Throws if it would overwrite the session file, which holds more than any view of it. */
export async function saveFile(
  path: string,
  content: string,
  { source, option = "--output" }: SaveOptions,
): Promise<void> {
  if ((await realPathOf(path)) === (await realPathOf(source)) && source !== "-") {
    throw new CommandError(1, `${option} ${path} is the session itself, which would be lost. Name another file.`);
  }
  try {
    await writeFile(path, content);
  } catch (error) {
    throw new CommandError(1, `Cannot write ${path}: ${whyNotWritten(error)}`);
  }
}

/** The reasons by the file system's error codes. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist. Make the folder, or name another file.",
  ENOTDIR: "a part of the path is no folder. Check the path.",
  EISDIR: "it is a folder. Name a file in it.",
  EACCES: "its permissions, or those of its folder, do not allow it. Name another file.",
  EPERM: "its permissions, or those of its folder, do not allow it. Name another file.",
  EROFS: "the disk cannot be written to. Name a file on another one.",
  ENOSPC: "the disk is full. Make room, or name a file on another one.",
};

function whyNotWritten(error: unknown): string {
  const code = asText(fieldAt(error, "code")) ?? "";
  return REASONS[code] ?? `${describeError(error)}. Name a file in a folder that exists and may be written.`;
}

/** The resolved path; undefined if it does not exist yet. */
async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    return undefined;
  }
}
