import { firstTables } from "./001-first-tables.ts";
import type { Migration } from "./migration.ts";

/** Every migration, the oldest first. */
export const MIGRATIONS: readonly Migration[] = [firstTables];
