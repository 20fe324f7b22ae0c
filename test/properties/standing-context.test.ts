/** What binds the agent is visible, whole, for as long as it binds; and no pointer leads to something that is neither visible nor one recall away. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LONG_TIMEOUT_MS, longRuns, withKnownCases } from "./long-runs.ts";
import { standingPlan } from "./standing-plans.ts";
import { runStanding, STRATEGIES } from "./standing-runs.ts";
import { newTally } from "./standing-watch.ts";

/** In the known ones there are pointers to what is hidden. */
const RUNS = withKnownCases(longRuns(40), { of: standingPlan, count: 10 });

describe("what binds is in every view of a session", () => {
  test.each(Object.entries(STRATEGIES))("%s", { timeout: LONG_TIMEOUT_MS }, async (_, open) => {
    const tally = newTally();
    const property = fc.asyncProperty(standingPlan, async (plan) => {
      expect(await runStanding(plan, open, tally)).toEqual([]);
    });
    await fc.assert(property, RUNS);
    expect(tally.boundParts).toBeGreaterThan(0);
    expect(tally.resolvedPointers).toBeGreaterThan(0);
  });
});
