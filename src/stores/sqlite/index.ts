export { defaultDatabasePath } from "./default-database-path.ts";
export { type SqliteStoreOptions, sqliteStore } from "./sqlite-store.ts";
