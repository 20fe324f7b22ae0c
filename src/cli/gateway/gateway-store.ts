import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../core/ports/store.ts";
import type { GatewayLimits } from "../../gateway/gateway.ts";
import { openStore } from "../sessions/open-sessions.ts";
import { nameOfStore, type StoreLocation, storeLocation } from "../sessions/store-location.ts";
import type { Arguments, Command } from "../terminal/command-line.ts";
import type { Environment } from "../terminal/output.ts";

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

/** Gateways that share a server wait so long for it to be restarted; else each would go on with sessions of its own. */
const RESTART_MS = 10_000;
/** A single call waits less: below the deadline of calls, which is for what hangs. */
const CONNECT_MS = 2_000;

/** For the gateway's own calls, see `storeRestartMs`. A file is not restarted. */
export function restartLimits({ type }: GatewayStoreLocation): Partial<GatewayLimits> {
  return type === "postgres" ? { storeRestartMs: RESTART_MS } : {};
}

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
  const store = await openStore(location, { maxConnections: MAX_CONNECTIONS, restartMs: CONNECT_MS });
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
