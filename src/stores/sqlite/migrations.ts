/** One step of the schema. Never changed once released: a change is a new step. */
export interface Migration {
  /** Steps are numbered from 1 without gaps. */
  readonly version: number;
  readonly sql: string;
}

/**
 * A record's id is the session key times 2^32 plus its version: one tree then keeps a session's records together and in
 * order, and the rowid of its terms is the same number.
 *
 * `write_order` says which session was written to last, also where the clock stands still or goes back. The index of
 * terms keeps no text of its own, only which record holds which term; `encodeTerm` says why it splits tokens like this.
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

/** Each session's row gets a checksum; `head_checksum` is a function of the connection that openDatabase() makes. */
const sessionChecksumsMigration: Migration = {
  version: 2,
  sql: `
    ALTER TABLE sessions ADD COLUMN checksum TEXT NOT NULL DEFAULT '';
    UPDATE sessions SET checksum = head_checksum(id, version, rewrite_version);
  `,
};

/** A name of the database that no other has: what lies beside the file is told from what another one left there. */
const storeIdentityMigration: Migration = {
  version: 3,
  sql: `
    CREATE TABLE store_identity (id TEXT NOT NULL) STRICT;
    INSERT INTO store_identity (id) VALUES (lower(hex(randomblob(16))));
  `,
};

/** Rows lie in the order in which they came: by their names, each write would touch pages all over the table. */
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

/** A pinned session is kept by every retention. */
const pinnedSessionsMigration: Migration = {
  version: 5,
  sql: "ALTER TABLE sessions ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0",
};

/** One for each session at most. What is in it can be made again of the records. */
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
