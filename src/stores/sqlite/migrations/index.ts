import { sessionsMigration } from "./001-sessions.ts";
import { sessionChecksumsMigration } from "./002-session-checksums.ts";
import { storeIdentityMigration } from "./003-store-identity.ts";
import { blobsMigration } from "./004-blobs.ts";
import type { Migration } from "./migration.ts";

/** All steps, in order. */
export const MIGRATIONS: readonly Migration[] = [
  sessionsMigration,
  sessionChecksumsMigration,
  storeIdentityMigration,
  blobsMigration,
];
