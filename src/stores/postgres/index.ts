export type {
  AppendOptions,
  AppendOutcome,
  FoundRecord,
  ListCheckpointsOptions,
  ListSessionsOptions,
  LockOutcome,
  LockRelease,
  LockRequest,
  NewRecord,
  ReadOptions,
  SearchOptions,
  Store,
  StoredCheckpoint,
  StoredRecord,
  StoredSession,
} from "../../core/ports/store.ts";
export { type PostgresStoreOptions, postgresStore } from "./postgres-store.ts";
