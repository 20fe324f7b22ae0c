/** One step of the schema. A released step is never edited: a change is a new step. */
export interface Migration {
  /** Steps are numbered from 1 without gaps. */
  readonly version: number;
  readonly sql: string;
}

/**
 * A record's id is the session key times 2^32 plus its version: one B-tree then keeps a session's records together and in
 * order, and the rowid of its terms is the same number.
 *
 * `write_order` orders the sessions by their last write, also where the clock stands still or goes back. The full-text
 * index stores no text, only which record has which term; `encodeTerm` explains its tokenizer.
 */
const sessionsMigration: Migration = {
  version: 1,
  sql: `
    CREATE TABLE sessions (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      version INTEGER NOT NULL,
      rewrite_version INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      write_order INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sessions_by_write_order ON sessions (write_order);

    CREATE TABLE records (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      is_rewrite INTEGER NOT NULL,
      checksum TEXT NOT NULL,
      body TEXT NOT NULL
    ) STRICT;

    CREATE VIRTUAL TABLE record_terms USING fts5 (
      terms,
      content = '',
      contentless_delete = 1,
      detail = none,
      tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_\`{|}~'"
    );

    CREATE TABLE locks (
      session_key INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
      name TEXT NOT NULL,
      holder TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (session_key, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE checkpoints (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      session_key INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
      id TEXT NOT NULL,
      at INTEGER NOT NULL,
      checksum TEXT NOT NULL,
      body TEXT NOT NULL,
      UNIQUE (session_key, id)
    ) STRICT;
    CREATE INDEX checkpoints_by_age ON checkpoints (session_key, at);
  `,
};

/** Adds a checksum to each session's row; `head_checksum` is an SQL function that openDatabase() defines. */
const sessionChecksumsMigration: Migration = {
  version: 2,
  sql: `
    ALTER TABLE sessions ADD COLUMN checksum TEXT NOT NULL DEFAULT '';
    UPDATE sessions SET checksum = head_checksum(id, version, rewrite_version);
  `,
};

/** A unique id of the database, by which a heads file that another database left at the same path is recognised. */
const storeIdentityMigration: Migration = {
  version: 3,
  sql: `
    CREATE TABLE store_identity (id TEXT NOT NULL) STRICT;
    INSERT INTO store_identity (id) VALUES (lower(hex(randomblob(16))));
  `,
};

/** A table with rowids, so that rows are stored in the order of insertion: in the order of their names, each write would touch pages all over the table. */
const blobsMigration: Migration = {
  version: 4,
  sql: `
    CREATE TABLE blobs (
      session_key INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
      name TEXT NOT NULL,
      bytes BLOB NOT NULL,
      UNIQUE (session_key, name)
    ) STRICT;
  `,
};

/** Retention never removes a pinned session. */
const pinnedSessionsMigration: Migration = {
  version: 5,
  sql: "ALTER TABLE sessions ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0",
};

/** At most one saved state for each session. It can be derived from the records again. */
const savedStatesMigration: Migration = {
  version: 6,
  sql: `
    CREATE TABLE saved_states (
      session_key INTEGER PRIMARY KEY REFERENCES sessions (key) ON DELETE CASCADE,
      version INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
  `,
};

/** All steps, in order. */
export const MIGRATIONS: readonly Migration[] = [
  sessionsMigration,
  sessionChecksumsMigration,
  storeIdentityMigration,
  blobsMigration,
  pinnedSessionsMigration,
  savedStatesMigration,
];
