import type { LogBlock } from "./log-blocks.ts";

/** How often a file was read, and how long ago it was used. */
export interface FileState {
  reads: number;
  /** How many files were used after it was used last. */
  laterFiles: number;
}

/** Every file that a call names, by its name without folders: paths to one file may be relative or absolute. */
export function fileStates(blocks: readonly LogBlock[]): ReadonlyMap<string, FileState> {
  const states = new Map<string, FileState>();
  for (const { source, act } of blocks) {
    if (source !== "call" || act === undefined) continue;
    for (const { path, touch } of act.files) {
      const name = fileName(path);
      const state = states.get(name) ?? { reads: 0, laterFiles: 0 };
      // Deleted first, so that the newest comes last.
      states.delete(name);
      states.set(name, state);
      if (touch === "read") state.reads += 1;
    }
  }
  let laterFiles = states.size;
  for (const state of states.values()) state.laterFiles = --laterFiles;
  return states;
}

/** The name of the file that a block is about: the last one that its call names. */
export function fileOf({ act }: LogBlock): string | undefined {
  const path = act?.files.at(-1)?.path;
  return path === undefined ? undefined : fileName(path);
}

export function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
