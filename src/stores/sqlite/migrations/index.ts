import { sessionsMigration } from "./001-sessions.ts";
import { sessionChecksumsMigration } from "./002-session-checksums.ts";
import type { Migration } from "./migration.ts";

/** All steps, in order. */
export const MIGRATIONS: readonly Migration[] = [sessionsMigration, sessionChecksumsMigration];
