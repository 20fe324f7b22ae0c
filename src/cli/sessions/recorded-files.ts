import type { RestoredFiles, SavedCheckpoint } from "../../checkpoints/checkpoint.ts";
import type { WorkspaceCheckpoints } from "../../checkpoints/workspace-checkpoints.ts";
import type { WorkspaceFiles } from "../../core/ports/workspace.ts";

/** The files of a session, and what it did to them last: more than it tells itself. */
export interface RecordedFiles extends WorkspaceFiles {
  readonly checkpoints: WorkspaceCheckpoints;
  saved(): SavedCheckpoint | undefined;
  restored(): RestoredFiles | undefined;
}

export function recordedFiles(checkpoints: WorkspaceCheckpoints): RecordedFiles {
  let saved: SavedCheckpoint | undefined;
  let restored: RestoredFiles | undefined;
  return {
    checkpoints,
    save: async (options) => {
      saved = await checkpoints.save(options);
      return saved;
    },
    restore: async (id) => {
      restored = await checkpoints.restore(id);
      return restored;
    },
    saved: () => saved,
    restored: () => restored,
  };
}
