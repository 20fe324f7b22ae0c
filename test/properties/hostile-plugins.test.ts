/** What always holds of sessions when strategies, hooks, validators, resolvers and telemetry are hostile. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Answer,
  answer,
  answering,
  type HostileStrategy,
  hostilePlugin,
  hostileStrategies,
} from "./hostile-plugins.ts";
import { LONG_TIMEOUT_MS, longRuns } from "./long-runs.ts";
import { type EngineParts, modelStrategies } from "./session-parts.ts";
import { quickSessionPlan, type SessionPlan } from "./session-plans.ts";
import { runSession } from "./session-runs.ts";

function hostileParts(strategies: readonly HostileStrategy[]): EngineParts {
  return { condenser: strategies.map(hostilePlugin), models: [] };
}

/** Our own condensers among hooks and validators that are not ours. */
function meddledParts(plan: SessionPlan, answers: readonly Answer[]): EngineParts {
  const next = answers.values();
  const hostile = <Value>() => answering<Value>(next.next().value ?? { type: "returns", value: undefined });
  return {
    ...modelStrategies(plan),
    hooks: [
      {
        name: "hostile",
        preCompress: hostile(),
        beforeCondensation: hostile(),
        afterCondensation: hostile(),
        selectStrategy: hostile(),
      },
    ],
    validators: [{ name: "hostile", validate: hostile() }],
    resolvers: { threshold: hostile(), prompt: hostile(), truncationSelection: hostile() },
    telemetry: [
      {
        onCondensationStart: hostile(),
        onCondensationSuccess: hostile(),
        onCondensationFailure: hostile(),
        onFallbackToTruncation: hostile(),
      },
    ],
  };
}

const RUNS = longRuns(5);

describe("a session among hostile code", () => {
  test("keeps all its promises whatever a strategy does to the log", { timeout: LONG_TIMEOUT_MS }, async () => {
    await fc.assert(
      fc.asyncProperty(quickSessionPlan, hostileStrategies, async (plan, strategies) => {
        const { breaches } = await runSession(plan, hostileParts(strategies));
        expect(breaches).toEqual([]);
      }),
      RUNS,
    );
  });

  test("keeps all its promises whatever hooks, validators, resolvers and telemetry answer", {
    timeout: LONG_TIMEOUT_MS,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(quickSessionPlan, fc.array(answer, { maxLength: 12 }), async (plan, answers) => {
        const { breaches } = await runSession(plan, meddledParts(plan, answers));
        expect(breaches).toEqual([]);
      }),
      RUNS,
    );
  });
});
