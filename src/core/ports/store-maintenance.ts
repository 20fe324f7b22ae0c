/**
 * Operations on a whole store: measure and check it, migrate its schema, remove old sessions. No session is opened for them.
 * Stores that keep nothing for long may leave it out.
 */
export interface StoreMaintenance {
  /** Pins a session, so that retention never removes it, or unpins it. False where there is no such session. */
  pin(sessionId: string, isPinned: boolean): Promise<boolean>;
  /** Every session with its size, those written to most recently first. */
  measure(): Promise<readonly SessionSize[]>;
  /** Whether the body of one of the session's records holds this text. */
  holds(sessionKey: number, text: string): Promise<boolean>;
  /** Destroys a session like `delete`, unless it was written to or pinned since it was measured. Whether this call removed it. */
  remove(session: Pick<SessionSize, "key" | "version">): Promise<boolean>;
  /** Checks the schema and every session without changing them. */
  check(): Promise<StoreCheck>;
  /** Brings schema and layout up to date while other processes go on reading and writing. Does nothing where they are up to date. */
  migrate(options?: MigrateOptions): Promise<StoreMigration>;
  /** Returns the space of removed sessions to the file system. On SQLite, other writers wait for it. */
  vacuum(): Promise<void>;
}

export interface SessionSize {
  readonly key: number;
  readonly id: string;
  /** The number of its records. */
  readonly version: number;
  /** Time since it was last written to, by the store's clock. */
  readonly idleMs: number;
  /** The size of its records, blobs and checkpoints, without indexes and before the database compresses anything. */
  readonly bytes: number;
  /** Whether the session itself is pinned; this says nothing about pinned messages. */
  readonly isPinned: boolean;
}

export interface StoreCheck {
  readonly schemaVersion: number;
  readonly sessions: number;
  readonly records: number;
  /** The sum over all sessions, see {@link SessionSize}. */
  readonly bytes: number;
  /** The steps that `migrate` would do, in words. */
  readonly pending: readonly string[];
  /** A sentence for each damage found. */
  readonly problems: readonly string[];
}

export interface MigrateOptions {
  /** Called with a line of text for each part of a long migration. */
  readonly onProgress?: ((line: string) => void) | undefined;
}

export interface StoreMigration {
  readonly fromVersion: number;
  readonly toVersion: number;
  /** The steps that were done, in words. */
  readonly steps: readonly string[];
}
