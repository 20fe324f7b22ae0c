import { writesFile } from "./code-lines.ts";
import type { LogBlock } from "./log-blocks.ts";

/** What the log tells about one file. Ages are replies of the model since. */
export interface FileState {
  readonly name: string;
  /** Since anything was done with it. */
  touchedAge: number;
  /** Since it was changed; undefined where it never was. */
  editedAge: number | undefined;
  edits: number;
  reads: number;
}

/** Every file that a call names, by its last name: one file is called by paths of different lengths. */
export function fileStates(blocks: readonly LogBlock[]): ReadonlyMap<string, FileState> {
  const states = new Map<string, FileState>();
  for (const block of blocks) {
    const { source, act, age } = block;
    if (source !== "call" || act === undefined) continue;
    for (const { path, touch } of act.files) {
      const name = fileName(path);
      const state = states.get(name) ?? { name, touchedAge: age, editedAge: undefined, edits: 0, reads: 0 };
      states.set(name, state);
      state.touchedAge = age;
      if (touch === "read") state.reads += 1;
      if (writesFile(block)) {
        state.edits += 1;
        state.editedAge = age;
      }
    }
  }
  return states;
}

/** The file that a block is about: the last that its call names. */
export function fileOf({ act }: LogBlock): string | undefined {
  const path = act?.files.at(-1)?.path;
  return path === undefined ? undefined : fileName(path);
}

export function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
