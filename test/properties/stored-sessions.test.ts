/** Sessions on stores equal a simple list of moments, over random operations of two engines on one store. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Store } from "../../src/core/ports/store.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { postgresStore } from "../../src/stores/postgres/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { sized } from "../chaos/chaos-size.ts";
import { describePostgres, freshSchema } from "../support/postgres-database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { LONG_TIMEOUT_MS, longRuns, withKnownCases } from "./long-runs.ts";
import type { StoredTally } from "./stored-session-acts.ts";
import { storedPlan } from "./stored-session-plans.ts";
import { runStoredSessions } from "./stored-session-runs.ts";

/** Among them every act is done three times and more. */
const KNOWN_CASES = sized({ full: 30, short: 18 });

async function holds(open: () => Store, runs: ReturnType<typeof longRuns>): Promise<void> {
  const tally: StoredTally = { folded: 0, restored: 0, rewound: 0, undone: 0, branched: 0, reopened: 0 };
  const stores = [open(), open()];
  try {
    await fc.assert(
      fc.asyncProperty(storedPlan, (plan) => runStoredSessions(plan, { stores, open, prefix: randomUUID(), tally })),
      withKnownCases(runs, { of: storedPlan, count: KNOWN_CASES }),
    );
  } finally {
    for (const store of stores) await store.close();
  }
  for (const [name, count] of Object.entries(tally)) expect(count, name).toBeGreaterThanOrEqual(3);
}

describe("sessions of two engines on one store, whatever is done to them", () => {
  const name = "are what a list of moments says, byte for byte, also when they are opened again";

  test(`${name}: memory`, { timeout: LONG_TIMEOUT_MS }, async () => {
    const store = memoryStore();
    // It lasts as long as this object.
    const handle: Store = { ...store, close: async () => {} };
    await holds(() => handle, longRuns(8));
  });

  test(`${name}: sqlite`, { timeout: LONG_TIMEOUT_MS }, async () => {
    const path = join(temporaryFolder(), "store.db");
    await holds(() => sqliteStore({ path }), longRuns(8));
  });
});

await describePostgres("sessions of two engines on one PostgreSQL, whatever is done to them", (connectionString) => {
  test("are what a list of moments says", { timeout: LONG_TIMEOUT_MS }, async () => {
    const schema = freshSchema(connectionString);
    await holds(() => postgresStore({ connectionString, schema, maxConnections: 2 }), longRuns(100));
  });
});
