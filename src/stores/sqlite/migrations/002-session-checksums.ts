import type { Migration } from "./migration.ts";

/** Each session's row gets a checksum; `head_checksum` is a function of the connection that openDatabase() makes. */
export const sessionChecksumsMigration: Migration = {
  version: 2,
  sql: `
    ALTER TABLE sessions ADD COLUMN checksum TEXT NOT NULL DEFAULT '';
    UPDATE sessions SET checksum = head_checksum(id, version, rewrite_version);
  `,
};
