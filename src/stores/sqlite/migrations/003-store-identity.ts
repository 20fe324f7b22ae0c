import type { Migration } from "./migration.ts";

/** A name of the database that no other has: what lies beside the file is told from what another one left there. */
export const storeIdentityMigration: Migration = {
  version: 3,
  sql: `
    CREATE TABLE store_identity (id TEXT NOT NULL) STRICT;
    INSERT INTO store_identity (id) VALUES (lower(hex(randomblob(16))));
  `,
};
