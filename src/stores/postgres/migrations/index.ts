import { firstTables } from "./001-first-tables.ts";
import { sessionChecksums } from "./002-session-checksums.ts";
import { blobs } from "./003-blobs.ts";
import type { Migration } from "./migration.ts";

/** Every migration, the oldest first. */
export const MIGRATIONS: readonly Migration[] = [firstTables, sessionChecksums, blobs];
