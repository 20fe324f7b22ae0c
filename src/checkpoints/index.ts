export type { OffloadedFile, OffloadFiles } from "../core/ports/offload.ts";
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
export { type FolderOffloadOptions, folderOffload } from "./folder-offload.ts";
export {
  type PrunedCheckpoints,
  type WorkspaceCheckpoints,
  type WorkspaceCheckpointsOptions,
  workspaceCheckpoints,
} from "./workspace-checkpoints.ts";
