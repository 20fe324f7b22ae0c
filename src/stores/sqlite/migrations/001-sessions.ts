import type { Migration } from "./migration.ts";

/**
 * A record's id is the session key times 2^32 plus its version: one tree then keeps a session's records together and in
 * order, and the rowid of its terms is the same number.
 *
 * `write_order` says which session was written to last, also where the clock stands still or goes back. The index of
 * terms keeps no text of its own, only which record holds which term; `encodeTerm` says why it splits tokens like this.
 */
export const sessionsMigration: Migration = {
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
