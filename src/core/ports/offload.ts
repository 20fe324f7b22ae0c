/** A tool's output as a file of a session. */
export interface OffloadedFile {
  readonly sessionId: string;
  /** Letters, digits, "_", "-" and "." alone; the same output of the same call always has the same name. */
  readonly name: string;
  /** The whole output of the tool. */
  readonly text: string;
}

/** Files outside of the log that an agent with a tool for reading can open; `folderOffload` makes one. */
export interface OffloadFiles {
  /** Smaller outputs get no file. @default 2_000 */
  readonly minTokens?: number | undefined;
  /** How long a fold waits for its files to be written; after that it is made without them. @default 5_000 */
  readonly timeoutMs?: number | undefined;
  /** The path at which the agent finds the file. Does no I/O; always the same for the same file. */
  pathOf(file: Omit<OffloadedFile, "text">): string;
  /** Resolves once the file is durable and can be read. Writing the same file again changes nothing. */
  write(file: OffloadedFile): Promise<void>;
  /** Deletes all files of a session. Does nothing for a session without files. */
  remove(sessionId: string): Promise<void>;
}
