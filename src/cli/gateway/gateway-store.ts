import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../core/ports/store.ts";
import { openStore } from "../sessions/open-sessions.ts";
import { nameOfStore, type StoreLocation, storeLocation } from "../sessions/store-location.ts";
import type { Command } from "../terminal/command.ts";
import type { Arguments } from "../terminal/command-line.ts";
import type { Environment } from "../terminal/style.ts";

/** Where a gateway keeps its sessions: a gateway may also forget them when it ends. */
export type GatewayStoreLocation = StoreLocation | { readonly type: "memory" };

/** The store that `--store` names, else `PALIMPSEST_STORE`, else the one where every command looks. */
export function gatewayStoreLocation(
  command: Command,
  given: Arguments,
  environment: Environment,
): GatewayStoreLocation {
  const named = given.values.store ?? environment.PALIMPSEST_STORE;
  return named === "memory" ? { type: "memory" } : storeLocation(command, given, environment);
}

/** What a person calls it; never with a password. */
export function nameOfGatewayStore(location: GatewayStoreLocation): string {
  return location.type === "memory" ? "memory" : nameOfStore(location);
}

// A gateway serves many sessions at once.
const MAX_CONNECTIONS = 10;

export interface OpenedStore {
  readonly store: Store;
  /** Where it is; in memory, where the default file could not be had. */
  readonly location: GatewayStoreLocation;
  /** What the person should be told of it. */
  readonly notes: readonly string[];
}

/**
 * Opens it; whoever does closes it too. A file that cannot be used is refused where the person named it. Where nobody did, an agent is
 * not kept from its work: the sessions are held in memory, and the person is told.
 */
export async function openGatewayStore(location: GatewayStoreLocation): Promise<OpenedStore> {
  if (location.type === "memory") return { store: await inMemory(), location, notes: [] };
  const store = await openStore(location, { maxConnections: MAX_CONNECTIONS });
  // A server may come up later; a file is opened at its first use.
  if (location.type === "postgres") return { store, location, notes: [] };
  try {
    await store.list({ limit: 1 });
    return { store, location, notes: [] };
  } catch (error) {
    await store.close();
    if (!location.isDefault || !(error instanceof PalimpsestError)) throw error;
    const note = `the sessions of this gateway are kept in memory alone, and are gone when it ends: ${error.message}`;
    return { store: await inMemory(), location: { type: "memory" }, notes: [note] };
  }
}

async function inMemory(): Promise<Store> {
  return (await import("../../stores/memory/memory-store.ts")).memoryStore();
}
