import { describe, expect, test } from "vitest";
import { log, user } from "../../../test/support/messages.ts";
import type { Message } from "../../core/message/message.ts";
import { runsWithin } from "../../core/strata/strata-row.ts";
import { createEngine } from "../../engine/create-engine.ts";
import { strataOf } from "../../engine/session/requests/session-strata.ts";
import { type ReplayOptions, type ReplayStep, replay, STRATEGIES, type Strategy } from "./replay.ts";
import { demoFacts } from "./session/demo-facts.ts";
import { demoSession } from "./session/demo-session.ts";

const LIMITS = { contextWindow: 32_000, maxTokens: 4_000 };

async function runToEnd(session: readonly Message[], options: ReplayOptions) {
  const replaying = replay(session, options);
  const steps: ReplayStep[] = [];
  for (;;) {
    const next = await replaying.next();
    if (next.done === true) return { steps, ...next.value };
    steps.push(next.value);
  }
}

const demoRuns = new Map<Strategy, ReturnType<typeof runToEnd>>();

/** The demo session through the demo's window, replayed once with each strategy. */
function demoRun(strategy: Strategy): ReturnType<typeof runToEnd> {
  const run = demoRuns.get(strategy) ?? runToEnd(demoSession(), { ...LIMITS, strategy, facts: demoFacts });
  demoRuns.set(strategy, run);
  return run;
}

describe.each(STRATEGIES)("the demo session with the strategy %s", async (strategy) => {
  const { steps, result } = await demoRun(strategy);

  test("stays inside a 32k window at every turn, valid and whole", () => {
    expect(steps).toHaveLength(82);
    expect(Math.max(...steps.map((step) => step.viewTokens))).toBe(result.peakViewTokens);
    expect(steps.at(-1)?.logTokens).toBeGreaterThanOrEqual(150_000);
    expect(result.peakViewTokens).toBeLessThanOrEqual(0.9 * 32_000 - 4_000);
    expect(result).toMatchObject({ strategy, overflows: 0, invalidViews: 0, bytesLost: 0 });
    expect(result.hashAfter).toBe(result.hashBefore);
  });

  test("sends much less than it would unfolded", () => {
    expect(result.sentTokens).toBe(steps.reduce((sum, step) => sum + step.viewTokens, 0));
    expect(result.unfoldedTokens).toBe(steps.reduce((sum, step) => sum + step.logTokens, 0));
    expect(result.sentTokens).toBeLessThan(0.3 * result.unfoldedTokens);
    expect(result.messagesHidden).toBeGreaterThan(100);
  });
});

test.each(["ledger", "summary", "snapshot"] as const)(
  "by %s, the session is condensed several times and more facts stay in sight than where the oldest turns go",
  async (strategy) => {
    const { result } = await demoRun(strategy);
    const truncated = await demoRun("truncation");
    expect(result.condensations).toBeGreaterThanOrEqual(5);
    expect(result.condensations).toBe(result.folds.condense);
    expect(result.refusedCondensations).toBe(0);
    expect(result.factsVisible).toBeGreaterThanOrEqual(2 * truncated.result.factsVisible);
    expect(result.factsVisible).toBeLessThan(demoFacts.length);
  },
);

test.each(["summary", "snapshot"] as const)("by %s, the model writes much less than it reads", async (strategy) => {
  const { condensations, model } = (await demoRun(strategy)).result;
  expect(model.calls).toBeGreaterThanOrEqual(condensations);
  expect(model.writtenTokens).toBeLessThan(0.2 * model.readTokens);
});

test.each(["ledger", "truncation"] as const)("by %s, no model is asked", async (strategy) => {
  const { result } = await demoRun(strategy);
  expect(result.model).toEqual({ calls: 0, readTokens: 0, writtenTokens: 0 });
});

test("where the oldest turns go, nothing is condensed", async () => {
  const { result } = await demoRun("truncation");
  expect(Object.keys(result.folds).sort()).toEqual(["clip", "truncate"]);
});

test("a window that is large enough folds nothing and keeps every fact in sight", async () => {
  const options = { contextWindow: 1_000_000, maxTokens: 4_000, strategy: "summary", facts: demoFacts } as const;
  const { result } = await runToEnd(demoSession(), options);
  expect(result).toMatchObject({ folds: {}, messagesHidden: 0, tokensHidden: 0, foldedTurns: [] });
  expect(result.sentTokens).toBe(result.unfoldedTokens);
  expect(result.factsVisible).toBe(demoFacts.length);
});

test("a window that nothing fits into is reported as overflow, not as success", async () => {
  const session = log(user("a question of some length"), { role: "assistant", content: "an answer" });
  const { result } = await runToEnd(session, { contextWindow: 100, maxTokens: 90, strategy: "summary" });
  expect(result.overflows).toBe(1);
  expect(result.bytesLost).toBe(0);
});

test("in Strata of the demo, as the dashboard shows it, messages are hidden from the request on that they were folded for", async () => {
  const { steps, session } = await demoRun("ledger");
  const imported = await createEngine({ model: "claude-sonnet-4-5" }).importSession(await session.export(), {
    id: "x",
  });
  const { rows, requests } = await strataOf(imported);
  const firstHidden = rows.flatMap((row) => {
    const run = runsWithin(row, 0, requests.length).find(([, , state]) => state === "hidden");
    return run === undefined ? [] : [run[0]];
  });
  const folded = steps.filter((step) => step.folds.length > 0).map((step) => step.turn - 1);
  expect([...new Set(firstHidden)].toSorted((a, b) => a - b)).toEqual(folded);
});
