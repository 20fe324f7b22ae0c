/** Whatever agents do, a gateway keeps them apart, loses nothing, and sends what a provider takes. */
import fc from "fast-check";
import { describe, test } from "vitest";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { runWithFaults } from "./gateway-faults.ts";
import { gatewayPlan } from "./gateway-plans.ts";
import { runGateways } from "./gateway-runs.ts";
import { LONG_TIMEOUT_MS, longRuns } from "./long-runs.ts";

describe("agents at gateways on one store", () => {
  test("are kept apart, whole, valid and still", { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(gatewayPlan((process.env.WITHOUT ?? "").split(",") as never), async (plan) => {
        const store = memoryStore();
        const t0 = performance.now();
        await runGateways(plan, () => store);
        (globalThis as any).N = ((globalThis as any).N ?? 0) + 1;
        if ((globalThis as any).N % 20 === 0)
          console.log("Error-free RUN " + (globalThis as any).N, Math.round(performance.now() - t0), plan.acts.length);
      }),
      { ...longRuns(40), interruptAfterTimeLimit: Number(process.env.LIMIT_MS ?? 60_000) },
    );
  });

  test("are answered for whatever the store does", { timeout: 600_000 }, async () => {
    const acts = gatewayPlan();
    const faults = fc.array(fc.oneof(fc.constant(true), fc.constant(false), fc.constant(false)), {
      minLength: 5,
      maxLength: 200,
      size: "max",
    });
    await fc.assert(
      fc.asyncProperty(acts, faults, async (plan, failing) => {
        await runWithFaults({ ...plan, faults: failing }, memoryStore());
        (globalThis as any).N = ((globalThis as any).N ?? 0) + 1;
        if ((globalThis as any).N % 20 === 0) console.log("Error-free RUN " + (globalThis as any).N);
      }),
      { ...longRuns(40), interruptAfterTimeLimit: Number(process.env.LIMIT_MS ?? 60_000) },
    );
  });
});
