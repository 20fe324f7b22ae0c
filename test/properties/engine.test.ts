/** What always holds of sessions, over random conversations, models, windows and settings. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LONG_TIMEOUT_MS, longRuns, withKnownCases } from "./long-runs.ts";
import type { Tally } from "./session-life.ts";
import { quickSessionPlan, sessionPlan } from "./session-plans.ts";
import { runSession } from "./session-runs.ts";

/** What is demanded to be seen is seen in the known ones. */
const KNOWN_CASES = 40;
const RUNS = withKnownCases(longRuns(4), { of: sessionPlan, count: KNOWN_CASES });
/** Each of these lives its conversation twice. */
const TWICE_LIVED = longRuns(10);
/** Among the others there are such runs too. */
const OFF_RUNS = longRuns(8);

describe("a session, whatever is said, whatever the model does and whatever the settings", () => {
  test("stays lossless, valid, within its budget, bounded and still, and keeps off what is off", {
    timeout: LONG_TIMEOUT_MS,
  }, async () => {
    const tallies: Tally[] = [];
    await fc.assert(
      fc.asyncProperty(sessionPlan, async (plan) => {
        const { breaches, tally } = await runSession(plan);
        tallies.push(tally);
        expect(breaches).toEqual([]);
      }),
      RUNS,
    );
    const total = (key: keyof Tally) => tallies.reduce((sum, tally) => sum + tally[key], 0);
    expect(total("prepared")).toBeGreaterThan(2 * KNOWN_CASES);
    expect(total("repeated")).toBeGreaterThan(KNOWN_CASES / 2);
    expect(total("condensed")).toBeGreaterThan(KNOWN_CASES / 20);
    expect(total("truncated")).toBeGreaterThan(KNOWN_CASES / 20);
    expect(total("refused")).toBeGreaterThan(KNOWN_CASES / 20);
  });

  test("never asks a model and tells nobody when all of that is off, by any way of asking for it", {
    timeout: LONG_TIMEOUT_MS,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(quickSessionPlan, async (plan) => {
        const off = { primary: "truncation", hooks: false, telemetry: false, logging: false } as const;
        const { breaches, requests, told } = await runSession({ ...plan, settings: { ...plan.settings, ...off } });
        expect(breaches).toEqual([]);
        expect(requests).toEqual([]);
        expect(told).toMatchObject({ hooks: 0, telemetry: 0, lines: 0 });
      }),
      OFF_RUNS,
    );
  });

  test("lived twice gives the same views and the same requests, byte for byte", {
    timeout: LONG_TIMEOUT_MS,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(quickSessionPlan, async (plan) => {
        const [first, second] = [await runSession(plan), await runSession(structuredClone(plan))];
        expect(second.views).toEqual(first.views);
        expect(second.requests).toEqual(first.requests);
      }),
      TWICE_LIVED,
    );
  });
});
