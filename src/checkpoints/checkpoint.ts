/** A snapshot of a folder's files. */
export interface WorkspaceCheckpoint {
  /** The commit in the shadow repository: stable for as long as the checkpoint is kept. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly message: string;
  /** The number of files that differ from the checkpoint before; of all files in the first one. */
  readonly filesChanged: number;
  /** Files that could not be saved, although no ignore rule names them. Restoring never touches these. */
  readonly skipped: readonly SkippedFile[];
}

export interface SavedCheckpoint extends WorkspaceCheckpoint {
  /** False where nothing had changed: the newest checkpoint is then returned again. */
  readonly isNew: boolean;
}

export interface SkippedFile {
  /** Relative to the workspace, with forward slashes. A folder stands for everything in it. */
  readonly path: string;
  readonly reason: SkipReason;
}

export type SkipReason =
  | "too-large"
  /** This process may not read it. */
  | "unreadable"
  /** A socket, a pipe or a device. */
  | "special"
  /** Its name is not valid UTF-8. */
  | "undecodable-name";

/** A file that differs between two snapshots. A rename is one deletion and one addition. */
export type FileChange =
  | { readonly type: "added"; readonly path: string; readonly after: FileVersion; readonly patch: Patch }
  | { readonly type: "deleted"; readonly path: string; readonly before: FileVersion; readonly patch: Patch }
  | {
      readonly type: "modified";
      readonly path: string;
      readonly before: FileVersion;
      readonly after: FileVersion;
      readonly patch: Patch;
    };

export interface FileVersion {
  readonly kind: FileKind;
  readonly bytes: number;
}

export type FileKind = "file" | "executable" | "link";

/** A unified diff; `too-large` where the file, or all patches together, exceed what a person reads. */
export type Patch =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "binary" }
  | { readonly type: "too-large" };

export interface RestoredFiles {
  /** The checkpoint of the files before: restore it to undo. */
  readonly savedId: string;
  readonly changed: readonly RestoredFile[];
  /** Files that should have changed and were left alone. */
  readonly kept: readonly KeptFile[];
}

export interface RestoredFile {
  readonly path: string;
  readonly type: "written" | "removed";
}

export interface KeptFile {
  readonly path: string;
  readonly reason: KeepReason;
}

export type KeepReason =
  /** The checkpoint had skipped it. */
  | "was-skipped"
  /** The restored ignore rules ignore it. */
  | "ignored"
  /** Its current content is in no checkpoint, so that an undo could not restore it: it is ignored, too large, or changed just now. */
  | "unsaved"
  /** A folder on its path is now a link, or no folder. */
  | "no-folder"
  /** This process may not change it. */
  | "unwritable";

/** What a checkpoint records beside git's tree. */
export interface CheckpointDetails {
  readonly skipped: readonly SkippedFile[];
  /** The paths of files that not everyone may read, by their permissions in octal: git alone would restore them as readable. */
  readonly private: Readonly<Record<string, readonly string[]>>;
}
