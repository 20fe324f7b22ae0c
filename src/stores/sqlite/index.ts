export type * from "../../core/ports/store.ts";
export type * from "../../core/ports/store-maintenance.ts";
export { defaultDatabasePath } from "./default-database-path.ts";
export { type SqliteStoreOptions, sqliteStore } from "./sqlite-store.ts";
