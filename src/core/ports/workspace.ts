/** The files that an agent works on, as far as a session rewinds them; `workspaceCheckpoints` makes one. */
export interface WorkspaceFiles {
  /** Keeps the files as they are now. */
  save(options?: { readonly message?: string }): Promise<{ readonly id: string }>;
  /** Brings the files of a checkpoint back. What they were right before is kept as `savedId`. */
  restore(id: string): Promise<RestoredWorkspace>;
  /** What `restore` would change. @default it is not known before it is done */
  preview?(id: string): Promise<readonly MovedFile[]>;
  /** Forgets all that was kept; called when the session is deleted. @default it stays */
  remove?(): Promise<void>;
}

export interface RestoredWorkspace {
  readonly savedId: string;
  /** What was written or removed. @default it is not told */
  readonly changed?: readonly MovedFile[];
  /** What should have changed and was left alone. @default it is not told */
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
