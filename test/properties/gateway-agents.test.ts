/** Whatever agents do, a gateway keeps them apart, loses nothing, and sends what a provider takes. */
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runWithFaults } from "./gateway-faults.ts";
import { gatewayPlan, storeFaults } from "./gateway-plans.ts";
import { runGateways } from "./gateway-runs.ts";
import { LONG_TIMEOUT_MS, longRuns, withKnownCases } from "./long-runs.ts";

describe("agents at gateways on one store", () => {
  const name = "are kept apart, whole, valid and still, also over restarts";

  test(`${name}: memory`, { timeout: LONG_TIMEOUT_MS }, async () => {
    let foldedCount = 0;
    const property = fc.asyncProperty(gatewayPlan, async (plan) => {
      const store = memoryStore();
      foldedCount += await runGateways(plan, () => store);
    });
    await fc.assert(property, withKnownCases(longRuns(300), { of: gatewayPlan, count: 1 }));
    expect(foldedCount).toBeGreaterThan(0);
  });

  test(`${name}: sqlite`, { timeout: LONG_TIMEOUT_MS }, async () => {
    const property = fc.asyncProperty(gatewayPlan, async (plan) => {
      const path = join(temporaryFolder(), "store.db");
      const opened: ReturnType<typeof sqliteStore>[] = [];
      const open = () => {
        const store = sqliteStore({ path });
        opened.push(store);
        return store;
      };
      try {
        await runGateways(plan, open);
      } finally {
        for (const store of opened) await store.close();
      }
    });
    await fc.assert(property, longRuns(1_000));
  });

  test("are answered for whatever the store does, and miss nothing once it works", {
    timeout: LONG_TIMEOUT_MS,
  }, async () => {
    const property = fc.asyncProperty(gatewayPlan, storeFaults, async (plan, faults) => {
      await runWithFaults({ ...plan, faults }, memoryStore());
    });
    await fc.assert(property, longRuns(400));
  });
});
