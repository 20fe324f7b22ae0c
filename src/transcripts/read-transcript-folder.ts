import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { describeError } from "../core/describe-error.ts";
import type { Transcript } from "../core/transcript/transcript.ts";
import { readTranscript } from "./read-transcript.ts";

export interface TranscriptFolder {
  readonly transcripts: readonly NamedTranscript[];
  /** The files that could not be read, with the reason. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
}

export interface NamedTranscript extends Transcript {
  /** The file's path relative to the folder. */
  readonly name: string;
}

const MAYBE_TRANSCRIPT = /\.(?:jsonl?|traj)$/;

/**
 * Reads every transcript in a folder and its subfolders, in the order of their paths.
 * @example
 * ```ts
 * import { mkdtemp, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { readTranscriptFolder } from "palimpsest/transcripts";
 * const folder = await mkdtemp(join(tmpdir(), "sessions-"));
 * await writeFile(join(folder, "one.json"), '[{ "role": "user", "content": "Why?" }]');
 * console.log((await readTranscriptFolder(folder)).transcripts.map(({ name }) => name)); // [ 'one.json' ]
 * ```
 */
export async function readTranscriptFolder(folder: string): Promise<TranscriptFolder> {
  const transcripts: NamedTranscript[] = [];
  const refused: { name: string; reason: string }[] = [];
  for (const path of filesIn(folder)) {
    const name = relative(folder, path);
    try {
      transcripts.push({ ...(await readTranscript(path)), name });
    } catch (error) {
      refused.push({ name, reason: describeError(error) });
    }
  }
  return { transcripts, refused };
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && MAYBE_TRANSCRIPT.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
