import { assert, assertFunction } from "../assert.ts";
import type { Store } from "../ports/store.ts";

const STORE = 'a store, such as sqliteStore({ path: "sessions.db" }) of palimpsest/stores/sqlite';

/** Throws "invalid-argument" if an option is no store; it says how to make one, as a path is what people pass first. */
export function assertStore(name: string, store: Store): void {
  assert(typeof store === "object" && store !== null, name, store, STORE);
  for (const method of ["open", "append", "read"] as const) assertFunction(`${name}.${method}`, store[method]);
}
