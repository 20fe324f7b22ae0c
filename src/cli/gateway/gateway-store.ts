import { describeError } from "../../core/describe-error.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../core/ports/store.ts";
import type { GatewayLimits } from "../../gateway/gateway.ts";
import { within } from "../../gateway/within.ts";
import { openStore } from "../sessions/open-sessions.ts";
import { nameOfStore, type StoreLocation, storeLocation } from "../sessions/store-location.ts";
import type { Arguments, Command } from "../terminal/command-line.ts";
import type { Environment } from "../terminal/output.ts";

/** The location of a gateway's store. Unlike other commands, a gateway may keep its sessions in memory. */
export type GatewayStoreLocation = StoreLocation | { readonly type: "memory" };

/** The location that `--store` names, or else `PALIMPSEST_STORE`, or else the default of all commands. */
export function gatewayStoreLocation(
  command: Command,
  given: Arguments,
  environment: Environment,
): GatewayStoreLocation {
  const named = given.values.store ?? environment.PALIMPSEST_STORE;
  return named === "memory" ? { type: "memory" } : storeLocation(command, given, environment);
}

/** The name of a store for a person, without passwords. */
export function nameOfGatewayStore(location: GatewayStoreLocation): string {
  return location.type === "memory" ? "memory" : nameOfStore(location);
}

// A gateway serves many sessions at once.
const MAX_CONNECTIONS = 10;

/** How long gateways wait for a database server that restarts. Without waiting, each gateway would go on with sessions of its own. */
const RESTART_MS = 10_000;
/** How long a single call waits for a connection: less than the deadline of calls, which is meant for a server that hangs. */
const CONNECT_MS = 2_000;

/** The limits for a store that may be restarted, which a file cannot be; see `storeRestartMs`. */
export function restartLimits({ type }: GatewayStoreLocation): Partial<GatewayLimits> {
  return type === "postgres" ? { storeRestartMs: RESTART_MS } : {};
}

export interface OpenedStore {
  readonly store: Store;
  /** The location of the store: memory, if the default file could not be opened. */
  readonly location: GatewayStoreLocation;
  /** Notes about the store for the person. */
  readonly notes: readonly string[];
}

/**
 * Opens a gateway's store, which the caller has to close. Throws for a file that cannot be used if the person named it. If the default file cannot
 * be used, the sessions are kept in memory, so that the agent can work, and a note tells the person.
 */
export async function openGatewayStore(location: GatewayStoreLocation): Promise<OpenedStore> {
  if (location.type === "memory") return { store: await inMemory(), location, notes: [] };
  const store = await openStore(location, { maxConnections: MAX_CONNECTIONS, restartMs: CONNECT_MS });
  if (location.type === "postgres") return { store, location, notes: await askServer(store) };
  // A file is opened at its first use, which is made here.
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

/**
 * Asks the database server for the first time. It may start later, so that its silence is only a note; but a package that is missing stays missing,
 * and the gateway would keep nothing. Throws "missing-package" then.
 */
async function askServer(store: Store): Promise<readonly string[]> {
  const asked = await within(2 * CONNECT_MS, () => store.list({ limit: 1 }));
  if (asked.type === "done") return [];
  if (asked.type === "failed" && asked.error instanceof PalimpsestError && asked.error.code === "missing-package") {
    await store.close();
    throw asked.error;
  }
  const why = asked.type === "late" ? "The server does not answer." : describeError(asked.error);
  return [`the sessions of this gateway are kept in memory until the database can be used: ${why}`];
}

async function inMemory(): Promise<Store> {
  return (await import("../../stores/memory/memory-store.ts")).memoryStore();
}
