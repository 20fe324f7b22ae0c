export type * from "../../core/ports/store.ts";
export type * from "../../core/ports/store-maintenance.ts";
export { type MemoryStoreOptions, memoryStore } from "./memory-store.ts";
