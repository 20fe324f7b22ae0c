export type * from "../../core/ports/store.ts";
export type * from "../../core/ports/store-maintenance.ts";
export { type PostgresStoreOptions, postgresStore } from "./postgres-store.ts";
