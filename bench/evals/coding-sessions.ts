import { existsSync } from "node:fs";
import type { EvalSession } from "palimpsest/evals";
import { readTranscriptFolder } from "palimpsest/transcripts";

/** A session with what it may be held out by. */
export interface CodingSession extends EvalSession {
  readonly agent: string;
  readonly repository: string;
}

export interface CodingSessions {
  readonly sessions: readonly CodingSession[];
  /** Files that are no transcripts. */
  readonly refused: number;
  /** Folders that do not exist. */
  readonly missing: readonly string[];
}

/** Reads the sessions of all folders that exist. */
export async function readCodingSessions(folders: readonly string[]): Promise<CodingSessions> {
  const found = folders.filter((folder) => existsSync(folder));
  const read = await Promise.all(found.map((folder) => readTranscriptFolder(folder)));
  return {
    sessions: read.flatMap(({ transcripts }) =>
      transcripts.map((transcript) => ({
        ...transcript,
        agent: transcript.format,
        repository: repositoryOf(transcript),
      })),
    ),
    refused: read.reduce((sum, { refused }) => sum + refused.length, 0),
    missing: folders.filter((folder) => !existsSync(folder)),
  };
}

/** Files of collected sessions are called `owner__repository__session`; else the folder that the agent worked in tells. */
export function repositoryOf({ name, workingDirectory }: { name: string; workingDirectory?: string }): string {
  for (const segment of name.split("/")) {
    const [owner, repository] = segment.split("__");
    if (owner && repository) return `${owner}/${repository}`;
  }
  return workingDirectory ?? name;
}
