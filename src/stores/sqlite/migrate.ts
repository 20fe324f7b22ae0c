import type { DatabaseSync } from "node:sqlite";
import { PalimpsestError } from "../../core/errors.ts";
import type { Migration } from "./migrations.ts";
import { inTransaction } from "./transaction.ts";

/** "Plmp": distinguishes our files from those of other programs that use SQLite. */
export const APPLICATION_ID = 0x50_6c_6d_70;

/** Brings the schema up to date, each step in a transaction of its own; other processes may do so at the same time. Returns whether a step was needed. */
export function migrate(database: DatabaseSync, path: string, migrations: readonly Migration[]): boolean {
  let isMigrated = false;
  assertKnownSchema(database, path, migrations.length);
  for (const { version, sql } of migrations) {
    if (pragmaNumber(database, "user_version") >= version) continue;
    inTransaction(database, "BEGIN IMMEDIATE", () => {
      // Another process may have been faster.
      if (pragmaNumber(database, "user_version") >= version) return;
      isMigrated = true;
      database.exec(`${sql}; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}`);
    });
  }
  return isMigrated;
}

/** Throws on a file of another program ("store-failed"), or of a newer version of ours ("store-too-new"). */
export function assertKnownSchema(database: DatabaseSync, path: string, newestVersion: number): void {
  const applicationId = pragmaNumber(database, "application_id");
  const version = pragmaNumber(database, "user_version");
  if (applicationId !== APPLICATION_ID && !isUntouched(database, applicationId, version)) {
    throw new PalimpsestError(
      "store-failed",
      `${path} is a database of another program. Choose another path: palimpsest leaves this file as it is.`,
    );
  }
  if (version > newestVersion) {
    throw new PalimpsestError(
      "store-too-new",
      `${path} was written by a newer palimpsest: its schema has version ${version}, this one knows versions up to ` +
        `${newestVersion}. Update the palimpsest package, or choose another path.`,
    );
  }
}

function isUntouched(database: DatabaseSync, applicationId: number, version: number): boolean {
  if (applicationId !== 0 || version !== 0) return false;
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

function pragmaNumber(database: DatabaseSync, name: "application_id" | "user_version"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}
