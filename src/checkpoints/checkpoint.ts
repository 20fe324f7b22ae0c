/** What a folder's files were at one moment. */
export interface WorkspaceCheckpoint {
  /** The commit in the shadow repository: stable for as long as the checkpoint is kept. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly message: string;
  /** Files that differ from the checkpoint before; all of them in the first. */
  readonly filesChanged: number;
  /** What was left out although no rule leaves it out. Restoring never touches these. */
  readonly skipped: readonly SkippedFile[];
}

export interface SavedCheckpoint extends WorkspaceCheckpoint {
  /** False where nothing had changed: it is then the newest checkpoint there was. */
  readonly isNew: boolean;
}

export interface SkippedFile {
  /** Relative to the workspace, with forward slashes. A folder stands for all that is in it. */
  readonly path: string;
  readonly reason: SkipReason;
}

export type SkipReason =
  | "too-large"
  /** Its permissions do not let us read it. */
  | "unreadable"
  /** A socket, a pipe or a device. */
  | "special"
  /** Its name is no UTF-8. */
  | "undecodable-name";

/** A file that differs between two moments. Renames are one deletion and one addition. */
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

/** A unified diff; `too-large` where the file, or all of the patches together, would be more than a person reads. */
export type Patch =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "binary" }
  | { readonly type: "too-large" };

export interface RestoredFiles {
  /** The checkpoint of how things were before: restore it to undo. */
  readonly savedId: string;
  readonly changed: readonly RestoredFile[];
  /** Files that should have changed and were left alone, because nothing could have brought them back. */
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
  /** The checkpoint had left it out. */
  | "was-skipped"
  /** The rules that come back with the checkpoint ignore it. */
  | "ignored"
  /** What is there now is in no checkpoint: it is ignored, too large, or appeared this moment. */
  | "unsaved"
  /** A folder on its path is now a link, or no folder. */
  | "no-folder"
  /** Its permissions do not let us change it. */
  | "unwritable";

/** What the file system says of a saved path: what git keeps, and what it does not. */
export interface CheckpointDetails {
  readonly skipped: readonly SkippedFile[];
  /** Permissions, in octal, of the files that not everyone may read, with their paths. Git would bring them back readable. */
  readonly private: Readonly<Record<string, readonly string[]>>;
}
