import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

/** Where transcripts of real agents may be: `PALIMPSEST_DATA`, relative to the repository. */
export const DATA_FOLDER = resolve(import.meta.dirname, "../..", process.env.PALIMPSEST_DATA ?? "../shared/data");

/** The session files of real agents in a folder of the data, if there is any; says loudly when there is none. */
export function realTranscripts(folder: string): readonly string[] {
  const path = join(DATA_FOLDER, folder);
  if (!existsSync(path)) {
    console.warn(`SKIPPED: no transcripts in ${path}. Set PALIMPSEST_DATA to a folder that holds ${folder}/.`);
    return [];
  }
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
