export type {
  AppendOptions,
  AppendOutcome,
  FoundRecord,
  ListCheckpointsOptions,
  ListSessionsOptions,
  LockName,
  LockOutcome,
  LockRelease,
  LockRequest,
  NewRecord,
  ReadOptions,
  SearchOptions,
  Store,
  StoredBlob,
  StoredCheckpoint,
  StoredLock,
  StoredRecord,
  StoredSession,
} from "../../core/ports/store.ts";
export { defaultDatabasePath } from "./default-database-path.ts";
export { type SqliteStoreOptions, sqliteStore } from "./sqlite-store.ts";
