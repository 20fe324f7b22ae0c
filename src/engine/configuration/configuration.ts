import type { Economy } from "../../core/policy/economy.ts";
import { deepFreeze } from "./deep-freeze.ts";

/** Any part of the configuration. Settings that are absent or undefined keep their value. */
export type Configuration = DeepPartial<ResolvedConfiguration>;

/** The configuration with all settings, frozen. */
export interface ResolvedConfiguration {
  readonly thresholds: ThresholdsConfiguration;
  readonly strategies: StrategiesConfiguration;
  readonly validation: ValidationConfiguration;
  readonly monitoring: MonitoringConfiguration;
}

/** When to condense. */
export interface ThresholdsConfiguration {
  /** How full the window may become, in percent. @default undefined: the model's own threshold */
  readonly global: number | undefined;
  /** The threshold of each profile: from 5 to 100, or -1 to inherit. Another value causes a warning when the profile is used. @default {} */
  readonly profiles: Readonly<Record<string, number>>;
  /** Whether prices decide instead of a percentage, where they are known. @default undefined: they do unless a percentage is set */
  readonly adaptive: boolean | undefined;
  /**
   * How much of the conversation a fold by prices leaves: "careful" 32,000 tokens, "balanced" 16,000, "thrifty" 8,000, or a number of tokens.
   * @default "balanced"
   */
  readonly economy: Economy;
}

/** How to condense. */
export interface StrategiesConfiguration {
  /**
   * `hybrid` dedupes and clears before it condenses, `llm` condenses first, `truncation` never asks a model.
   * @default "hybrid"
   */
  readonly primary: "llm" | "truncation" | "hybrid";
  /** What follows a failed condensation over the limit. @default "truncation" */
  readonly fallback: "truncation" | "error";
  /** Prompts by strategy; a blank one keeps the condenser's own. @default {} */
  readonly customPrompts: Readonly<Record<string, string>>;
  /** Whether to condense in the background shortly before the threshold, so that no request waits for it. @default false */
  readonly background: boolean;
  /** The most model calls per turn. @default 4 */
  readonly maxModelCalls: number;
  /** How long one reply may take. @default 120_000 */
  readonly timeoutMs: number;
  /** How many of the newest messages stay unchanged. @default undefined: the model's own number */
  readonly keepMessages: number | undefined;
  /** How old tool results are cleared before anything is condensed. */
  readonly clear: ClearConfiguration;
}

/** How old tool results are shown as stubs. */
export interface ClearConfiguration {
  /** Results of the tools with these names are not cleared; they may still be hidden with their messages, or clipped. @default [] */
  readonly excludeTools: readonly string[];
  /** A text for stubs, in place of the tool's name and its main argument. @default undefined: name and argument */
  readonly placeholder: string | undefined;
}

/** What a condensation must pass. */
export interface ValidationConfiguration {
  /** @default true */
  readonly enabled: boolean;
  readonly rules: ValidationRules;
  /** Keep the validators' scores in the history. @default true */
  readonly metrics: boolean;
}

export interface ValidationRules {
  /** By how many percent the prompt must shrink. @default 20 */
  readonly minSavingPercent: number;
  /** The share of critical facts, from 0 to 1, that must stay visible. @default undefined: the validator's own share */
  readonly minFactSurvival: number | undefined;
  /**
   * The back-test score that a model's summary must reach, as a share of a ledger's score: 1 demands an equal one, 0 refuses nothing.
   * @default undefined: the validator's own share
   */
  readonly minBackTest: number | undefined;
}

/** How much is written to the log. */
export type LogLevel = "silent" | LineLevel;

/** How important a line of the log is. */
export type LineLevel = "error" | "warn" | "info" | "debug";

/** Telemetry, log, hooks and notices. */
export interface MonitoringConfiguration {
  /** @default true */
  readonly telemetry: boolean;
  /**
   * Which log lines are written, each level with those before it: "error" failed condensations and faults of extensions, "warn"
   * truncations for want of a summary, "info" a line per check, "debug" condensations. True is "info", false is "silent". @default false
   */
  readonly logging: boolean | LogLevel;
  /** Whether hooks run. @default true */
  readonly hooks: boolean;
  /** Whether a line in the newest message tells the model how full its window is, at every 10 percent from 20 on. @default false */
  readonly budgetNotice: boolean;
}

/**
 * The configuration of an engine that is given none: the default of every setting.
 * @example
 * ```ts
 * import { createEngine, DEFAULT_CONFIGURATION } from "palimpsest";
 * const engine = createEngine({ model: "claude-sonnet-4-5", configuration: { strategies: { primary: "truncation" } } });
 * console.log(DEFAULT_CONFIGURATION.strategies.primary, engine.configure({}).strategies.primary); // hybrid truncation
 * ```
 */
export const DEFAULT_CONFIGURATION: ResolvedConfiguration = deepFreeze<ResolvedConfiguration>({
  thresholds: { global: undefined, profiles: {}, adaptive: undefined, economy: "balanced" },
  strategies: {
    primary: "hybrid",
    fallback: "truncation",
    customPrompts: {},
    background: false,
    maxModelCalls: 4,
    timeoutMs: 120_000,
    keepMessages: undefined,
    clear: { excludeTools: [], placeholder: undefined },
  },
  validation: {
    enabled: true,
    rules: { minSavingPercent: 20, minFactSurvival: undefined, minBackTest: undefined },
    metrics: true,
  },
  monitoring: { telemetry: true, logging: false, hooks: true, budgetNotice: false },
});

/** A type with all its fields optional, at any depth, except in lists and in records by name: an entry without a value would say nothing. */
export type DeepPartial<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? string extends keyof Value
      ? Value
      : { readonly [Key in keyof Value]?: DeepPartial<Value[Key]> | undefined }
    : Value;
