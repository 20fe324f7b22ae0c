/**
 * What operators do with a whole store: look at its size, its health and its schema, and remove what is old. No session is opened for it.
 * Stores that keep nothing for long may leave it out.
 */
export interface StoreMaintenance {
  /** Keeps a session from retention, or no longer. False where there is no such session. */
  pin(sessionId: string, isPinned: boolean): Promise<boolean>;
  /** Every session with its size, those written to last first. */
  measure(): Promise<readonly SessionSize[]>;
  /** Whether the body of one of the session's records holds this text. */
  holds(sessionKey: number, text: string): Promise<boolean>;
  /** Destroys a session like `delete`, unless it was written to or pinned since it was measured. Whether it is gone by this call. */
  remove(session: Pick<SessionSize, "key" | "version">): Promise<boolean>;
  /** Looks at the schema and at every session, and changes nothing of them. */
  check(): Promise<StoreCheck>;
  /** Brings schema and layout up to date while others go on reading and writing. Does nothing where they are. */
  migrate(options?: MigrateOptions): Promise<StoreMigration>;
  /** Gives the space of what was removed back. On SQLite others that write wait for it. */
  vacuum(): Promise<void>;
}

export interface SessionSize {
  readonly key: number;
  readonly id: string;
  /** The number of its records. */
  readonly version: number;
  /** Since it was last written to, by the store's clock. */
  readonly idleMs: number;
  /** Of its records, blobs and checkpoints; without indexes, and before the database compresses anything. */
  readonly bytes: number;
  /** As a whole; pinned messages are not seen here. */
  readonly isPinned: boolean;
}

export interface StoreCheck {
  readonly schemaVersion: number;
  readonly sessions: number;
  readonly records: number;
  /** The sum over all sessions, see {@link SessionSize}. */
  readonly bytes: number;
  /** What `migrate` would do, in words. */
  readonly pending: readonly string[];
  /** What is damaged, in words. */
  readonly problems: readonly string[];
}

export interface MigrateOptions {
  /** Called with a line about each part of a long migration. */
  readonly onProgress?: ((line: string) => void) | undefined;
}

export interface StoreMigration {
  readonly fromVersion: number;
  readonly toVersion: number;
  /** What was done, in words. */
  readonly steps: readonly string[];
}
