/** Claude Agent SDK: a session store over our stores (`palimpsest/claude-agent-sdk`). */

export type * from "../../core/ports/store.ts";
export type * from "../../core/ports/store-maintenance.ts";
export { type PalimpsestSessionStoreOptions, palimpsestSessionStore } from "./palimpsest-session-store.ts";
export type * from "./types.ts";
