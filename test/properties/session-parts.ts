/** The engine that a planned session lives in. */
import type { Hooks } from "../../src/core/ports/hooks.ts";
import type { Telemetry } from "../../src/core/ports/telemetry.ts";
import { modelCondenser } from "../../src/engine/condense/model-condenser.ts";
import type { EngineOptions } from "../../src/engine/engine.ts";
import type { ScriptedHandler } from "../support/handlers.ts";
import { scriptedModel } from "./model-behaviours.ts";
import type { SessionPlan } from "./session-plans.ts";

const TIMEOUT_MS = 5;

/** What is plugged into the engine, and the models that it may ask. */
export interface EngineParts
  extends Pick<EngineOptions, "condenser" | "hooks" | "validators" | "resolvers" | "telemetry"> {
  readonly models: readonly { readonly asked: ScriptedHandler["asked"]; readonly contextWindow: number }[];
}

/** How often somebody was told something. */
export interface Told {
  hooks: number;
  telemetry: number;
  lines: number;
}

export function engineOptions(plan: SessionPlan, { models: _, ...plugged }: EngineParts, told: Told): EngineOptions {
  return {
    model: "scripted",
    contextWindow: plan.contextWindow,
    ...(plan.maxTokens === undefined ? {} : { maxTokens: plan.maxTokens }),
    configuration: configurationOf(plan),
    log: () => told.lines++,
    now: () => 0,
    ...plugged,
    hooks: [countingHooks(() => void told.hooks++), ...(plugged.hooks ?? [])],
    telemetry: [countingTelemetry(() => void told.telemetry++), ...(plugged.telemetry ?? [])],
  };
}

/** The strategies of the plan, on models of their own. */
export function modelStrategies({ strategies }: SessionPlan): EngineParts {
  const scripted = strategies.map(({ strategy, model }) => ({ strategy, model, handler: scriptedModel(model) }));
  return {
    condenser: scripted.map(({ strategy, handler }) => modelCondenser(handler, { strategy })),
    models: scripted.map(({ handler, model }) => ({ asked: handler.asked, contextWindow: model.contextWindow })),
  };
}

function configurationOf({ settings }: SessionPlan): NonNullable<EngineOptions["configuration"]> {
  const { primary, fallback, background, maxModelCalls, keepMessages, thresholdPercent } = settings;
  return {
    thresholds: { global: thresholdPercent },
    strategies: { primary, fallback, background, maxModelCalls, keepMessages, timeoutMs: TIMEOUT_MS },
    validation: { enabled: settings.isValidated },
    monitoring: { hooks: settings.hooks, telemetry: settings.telemetry, logging: settings.logging },
  };
}

function countingHooks(count: () => void): Hooks {
  return {
    name: "counting",
    preCompress: count,
    beforeCondensation: () => {
      count();
      return undefined;
    },
    afterCondensation: () => {
      count();
      return undefined;
    },
    selectStrategy: () => {
      count();
      return undefined;
    },
  };
}

function countingTelemetry(count: () => void): Telemetry {
  return {
    onCondensationStart: count,
    onCondensationSuccess: count,
    onCondensationFailure: count,
    onFallbackToTruncation: count,
  };
}
