/** The engine that a planned session lives in. */
import type { Message } from "../../src/core/message/message.ts";
import { isToolResult } from "../../src/core/message/tool-pairs.ts";
import type { Hooks } from "../../src/core/ports/hooks.ts";
import type { OffloadFiles } from "../../src/core/ports/offload.ts";
import type { Telemetry } from "../../src/core/ports/telemetry.ts";
import { resultText } from "../../src/core/standing/result-text.ts";
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
  /** What was written to files, by their names. */
  readonly files: Map<string, string>;
}

export function engineOptions(plan: SessionPlan, { models: _, ...plugged }: EngineParts, told: Told): EngineOptions {
  return {
    model: "scripted",
    contextWindow: plan.contextWindow,
    ...(plan.maxTokens === undefined ? {} : { maxTokens: plan.maxTokens }),
    configuration: configurationOf(plan),
    offload: offloadOf(plan, told),
    log: () => told.lines++,
    now: () => 0,
    ...plugged,
    hooks: [countingHooks(() => void told.hooks++), ...(plugged.hooks ?? [])],
    telemetry: [countingTelemetry(() => void told.telemetry++), ...(plugged.telemetry ?? [])],
  };
}

/** Files in memory: all that are asked for, those of every other name, or none. */
function offloadOf({ settings: { offload } }: SessionPlan, { files }: Told): OffloadFiles | undefined {
  if (offload === "off") return undefined;
  return {
    // Windows are small here, and so are what tools return.
    minTokens: 100,
    pathOf: ({ name }) => `/outputs/${name}`,
    write: async ({ name, text }) => {
      const isRefused = offload === "refused" || (offload === "some" && name.charCodeAt(name.length - 5) % 2 === 0);
      if (isRefused) throw new Error("no space left");
      files.set(name, text);
    },
    remove: async () => {},
  };
}

/** Paths in stand-ins that lead to nothing, or to something else than what the stand-in stands for. */
export function fileBreaches(log: readonly Message[], { files }: Told): readonly string[] {
  return log.flatMap(({ folds = [], content }) =>
    folds.flatMap(({ file, blockIndex, standIn }) => {
      if (file === undefined) return [];
      const block = typeof content === "string" ? undefined : content[blockIndex];
      const whole = block !== undefined && isToolResult(block) ? resultText(block) : undefined;
      const isRight = whole !== undefined && files.get(file) === whole && JSON.stringify(standIn).includes(file);
      return isRight ? [] : [`offload: ${file} is not what its stand-in stands for`];
    }),
  );
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
