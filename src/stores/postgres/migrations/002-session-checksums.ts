import type { Migration } from "./migration.ts";

/** Each session's row gets a checksum of what it says of its records. */
export const sessionChecksums: Migration = {
  version: 2,
  sql: `
    ALTER TABLE sessions ADD COLUMN checksum bytea;
    UPDATE sessions SET checksum = sha256(convert_to(concat_ws(' ', version, rewrite_version, id), 'UTF8'));
    ALTER TABLE sessions ALTER COLUMN checksum SET NOT NULL;
  `,
};
