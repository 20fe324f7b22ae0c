export type {
  FileChange,
  FileKind,
  FileVersion,
  KeepReason,
  KeptFile,
  Patch,
  RestoredFile,
  RestoredFiles,
  SavedCheckpoint,
  SkippedFile,
  SkipReason,
  WorkspaceCheckpoint,
} from "./checkpoint.ts";
export {
  type PrunedCheckpoints,
  type WorkspaceCheckpoints,
  type WorkspaceCheckpointsOptions,
  workspaceCheckpoints,
} from "./workspace-checkpoints.ts";
