import type { Database } from "./open-database.ts";

/** The newest versions of sessions, as far as they are known without looking: most who ask for news have it all. */
export interface NewestVersions {
  /** As it is in the transaction that goes on. */
  note(sessionKey: number, version: number): void;
  /** Where a session is deleted, another one may get its key. */
  forgetAll(): void;
  /** Whether a session surely has nothing after this version. */
  isNewest(database: Database, sessionKey: number, version: number): boolean;
}

const MOST_SESSIONS = 10_000;

export function createNewestVersions(): NewestVersions {
  const versions = new Map<number, number>();
  /** SQLite has another one as soon as anyone else has written to the file. */
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
