export { type PostgresStoreOptions, postgresStore } from "./postgres-store.ts";
