import { existsSync } from "node:fs";
import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../core/ports/store.ts";
import type { StoreMaintenance } from "../../core/ports/store-maintenance.ts";
import { createEngine } from "../../engine/create-engine.ts";
import type { Engine, EngineOptions } from "../../engine/engine.ts";
import { listSessions } from "../../engine/session/list-sessions.ts";
import type { Session } from "../../engine/session/session.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Arguments, Command } from "../terminal/command-line.ts";
import { findId } from "../terminal/find-id.ts";
import { type StoreLocation, storeLocation } from "./store-location.ts";

/** An open store, with an engine for its sessions. */
export interface OpenSessions {
  readonly engine: Engine;
  readonly store: Store;
  readonly location: StoreLocation;
}

export interface WithSessionsOptions<Result> {
  readonly use: (sessions: OpenSessions) => Promise<Result>;
  /** Whether the database, and sessions in it, may be created. @default false */
  readonly mayCreate?: boolean;
  /** Options of the engine, for commands that fold. @default condenses by the ledger, for any model */
  readonly engineOptions?: Pick<EngineOptions, "condenser" | "configuration" | "contextWindow" | "log" | "offload">;
}

// The engine needs a model, but no command prepares a view; the command that condenses names a window.
const ANY_MODEL = "claude-sonnet-4-5";

/** Opens the store that the command line names, and closes it after use. Without `mayCreate`, throws if the database does not exist. */
export async function withSessions<Result>(
  command: Command,
  given: Arguments,
  { use, mayCreate = false, engineOptions = {} }: WithSessionsOptions<Result>,
): Promise<Result> {
  const location = storeLocation(command, given, process.env);
  if (!mayCreate && !isThere(location)) throw noDatabase(location);
  const opened = await openStore(location);
  const store = mayCreate ? opened : { ...opened, open: (id: string) => openExisting(opened, id) };
  try {
    return await use({ engine: createEngine({ ...engineOptions, model: ANY_MODEL, store }), store, location });
  } finally {
    await store.close();
  }
}

/** The id of the stored session that a person means by its id, or by the beginning of it. */
export async function findSessionId(store: Store, given: string): Promise<string> {
  if (given !== "" && (await store.find(given)) !== undefined) return given;
  const all = await listSessions(store, { limit: Number.MAX_SAFE_INTEGER });
  const ids = all.map(({ id }) => id);
  return findId(given, ids, "session");
}

/** The stored session that a person means by its id or by the beginning of it. */
export async function findSession(
  { engine, store }: Pick<OpenSessions, "engine" | "store">,
  given: string,
): Promise<Session> {
  return engine.session(await findSessionId(store, given));
}

/** Whether the database exists; always true for a server, which is asked when it is used. */
export function isThere(location: StoreLocation): boolean {
  return location.type === "postgres" || existsSync(location.path);
}

export interface OpenStoreOptions {
  /** The most connections to a server. @default 2 */
  readonly maxConnections?: number;
  /** How long to wait for a server that restarts. @default 0 */
  readonly restartMs?: number;
}

/** Opens a store. Its module is loaded only then, as the package of PostgreSQL is optional. */
export async function openStore(
  location: StoreLocation,
  { maxConnections = 2, restartMs = 0 }: OpenStoreOptions = {},
): Promise<Store> {
  switch (location.type) {
    case "sqlite":
      return (await import("../../stores/sqlite/sqlite-store.ts")).sqliteStore({ path: location.path });
    case "postgres": {
      const { postgresStore } = await import("../../stores/postgres/postgres-store.ts");
      return postgresStore({ connectionString: location.connectionString, maxConnections, restartMs });
    }
  }
}

/** Opens a session that exists, and never creates one: a session that is deleted meanwhile must not come back empty. */
async function openExisting(store: Store, id: string): ReturnType<Store["open"]> {
  const existing = await store.find(id);
  if (existing !== undefined) return existing;
  throw new PalimpsestError("not-found", `There is no session ${JSON.stringify(id)}. palimpsest sessions lists them.`);
}

function noDatabase(location: StoreLocation): CommandError {
  const where = location.type === "sqlite" ? ` at ${location.path}` : "";
  return new CommandError(
    1,
    `There is no database${where}. "palimpsest run" makes one, and so does "palimpsest sessions import FILE"; --store names another.`,
  );
}

/** The maintenance functions of an open store. Throws a `CommandError` if the store has none. */
export function maintenanceOf(command: Command, { store }: Pick<OpenSessions, "store">): StoreMaintenance {
  if (store.maintenance !== undefined) return store.maintenance;
  throw new CommandError(1, `${command.name}: this store cannot be maintained. Name another with --store.`);
}
