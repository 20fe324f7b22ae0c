/** Saves and restores the files that an agent works on, so that a session can rewind them; `workspaceCheckpoints` makes one. */
export interface WorkspaceFiles {
  /** Saves the files as they are now in a checkpoint. */
  save(options?: { readonly message?: string }): Promise<{ readonly id: string }>;
  /** Restores the files of a checkpoint, after saving those of now as the checkpoint `savedId`. */
  restore(id: string): Promise<RestoredWorkspace>;
  /** The files that `restore` would change. @default a rewind cannot be previewed */
  preview?(id: string): Promise<readonly MovedFile[]>;
  /** Deletes all checkpoints; called when the session is deleted. @default they stay */
  remove?(): Promise<void>;
}

export interface RestoredWorkspace {
  readonly savedId: string;
  /** The files that were written or removed. @default not reported */
  readonly changed?: readonly MovedFile[];
  /** The files that should have changed and were left alone. @default not reported */
  readonly kept?: readonly KeptWorkspaceFile[];
}

/** A file that a restore writes or removes. */
export interface MovedFile {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  readonly type: "written" | "removed";
}

export interface KeptWorkspaceFile {
  readonly path: string;
  readonly reason: string;
}

/** The files of each session by its id; undefined where a session has none. */
export type WorkspaceOf = (sessionId: string) => WorkspaceFiles | undefined;
