/** A tool's output as a file: where it belongs, and what it holds. */
export interface OffloadedFile {
  readonly sessionId: string;
  /** Letters, digits, "_", "-" and "." alone; the same output of the same call always has the same name. */
  readonly name: string;
  /** All that the tool returned. */
  readonly text: string;
}

/** Files outside of the log that an agent with a tool for reading can open; `folderOffload` makes one. */
export interface OffloadFiles {
  /** Smaller outputs get no file. @default 2_000 */
  readonly minTokens?: number | undefined;
  /** How long a fold waits for its files; after that it is made without them. @default 5_000 */
  readonly timeoutMs?: number | undefined;
  /** Where the agent finds the file. Reads and writes nothing; always the same for the same file. */
  pathOf(file: Omit<OffloadedFile, "text">): string;
  /** Resolves once the file can be read, and not before it is durable. Writing the same file again changes nothing. */
  write(file: OffloadedFile): Promise<void>;
  /** Deletes all files of a session; one that has none is no error. */
  remove(sessionId: string): Promise<void>;
}
