/** The files that an agent works on, as far as a session rewinds them; `workspaceCheckpoints` makes one. */
export interface WorkspaceFiles {
  /** Keeps the files as they are now. */
  save(options?: { readonly message?: string }): Promise<{ readonly id: string }>;
  /** Brings the files of a checkpoint back. What they were right before is kept as `savedId`. */
  restore(id: string): Promise<{ readonly savedId: string }>;
}
