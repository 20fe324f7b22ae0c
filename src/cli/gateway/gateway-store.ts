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

/** Opens it; whoever does closes it too. */
export async function openGatewayStore(location: GatewayStoreLocation): Promise<Store> {
  if (location.type !== "memory") return openStore(location, { maxConnections: MAX_CONNECTIONS });
  return (await import("../../stores/memory/memory-store.ts")).memoryStore();
}
