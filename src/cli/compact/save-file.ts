import { realpath, writeFile } from "node:fs/promises";
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
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      1,
      `Cannot write ${path}: ${reason}. Name a file in a folder that exists and may be written.`,
    );
  }
}

/** The resolved path; undefined if it does not exist yet. */
async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    return undefined;
  }
}
