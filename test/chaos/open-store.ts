import { hash } from "node:crypto";
import { createEngine, type Engine, type Message, type Store } from "../../src/index.ts";
import { postgresStore } from "../../src/stores/postgres/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import type { StorePlace } from "./writer-lines.ts";

export function openStore(place: StorePlace): Store {
  if (place.type === "sqlite") return sqliteStore({ path: place.path });
  const { connectionString, schema } = place;
  return postgresStore({ connectionString, schema, maxConnections: 3 });
}

/** Its window is so small that a few dozen turns make the ledger condense. */
export function engineOn(store: Store): Engine {
  return createEngine({ model: "test-model", contextWindow: 6_000, maxTokens: 500, store });
}

export function hashMessages(messages: readonly Message[]): string {
  return hash("sha256", JSON.stringify(messages), "base64url");
}
