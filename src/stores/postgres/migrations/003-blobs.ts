import type { Migration } from "./migration.ts";

/** Not compressed by the server: what is worth it comes compressed. */
export const blobs: Migration = {
  version: 3,
  sql: `
    CREATE TABLE blobs (
      session_key bigint NOT NULL,
      name text COLLATE "C" NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (session_key, name)
    );
    ALTER TABLE blobs ALTER COLUMN bytes SET STORAGE EXTERNAL;
  `,
};
