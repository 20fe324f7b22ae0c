import type { Database } from "./open-database.ts";

/** A cache of the sessions' newest versions: most reads ask for records after the newest one, and need no query. */
export interface NewestVersions {
  /** Notes the version that a session has in the current transaction. */
  note(sessionKey: number, version: number): void;
  /** Empties the cache; called when a session is deleted. */
  forgetAll(): void;
  /** Whether a session surely has no records after this version. */
  isNewest(database: Database, sessionKey: number, version: number): boolean;
}

const MOST_SESSIONS = 10_000;

export function createNewestVersions(): NewestVersions {
  const versions = new Map<number, number>();
  /** SQLite's data version changes whenever another connection has written to the file. */
  let dataVersion: unknown;
  return {
    note: (sessionKey, version) => {
      if (versions.size >= MOST_SESSIONS) versions.clear();
      versions.set(sessionKey, version);
    },
    forgetAll: () => versions.clear(),
    isNewest: (database, sessionKey, version) => {
      const current = database.statement("PRAGMA data_version").get()?.data_version;
      if (current !== dataVersion) versions.clear();
      dataVersion = current;
      return versions.get(sessionKey) === version;
    },
  };
}
