import type { Migration } from "./migration.ts";

/** Rows lie in the order in which they came: by their names, each write would touch pages all over the table. */
export const blobsMigration: Migration = {
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
