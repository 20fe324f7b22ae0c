import type { Economy } from "../../core/policy/economy.ts";
import { deepFreeze } from "./deep-freeze.ts";

/** What a user passes: any part of the configuration. What is absent or undefined keeps its value. */
export type Configuration = DeepPartial<ResolvedConfiguration>;

/** The configuration with every setting in place, frozen. */
export interface ResolvedConfiguration {
  readonly thresholds: ThresholdsConfiguration;
  readonly strategies: StrategiesConfiguration;
  readonly validation: ValidationConfiguration;
  readonly monitoring: MonitoringConfiguration;
}

/** When to condense. */
export interface ThresholdsConfiguration {
  /** How full the window may become, in percent. @default undefined: the model's own */
  readonly global: number | undefined;
  /** By profile: from 5 to 100, or -1 to inherit. Others are warned about when the profile is used. @default {} */
  readonly profiles: Readonly<Record<string, number>>;
  /** Let prices decide instead of a fixed percentage, where they are known. @default undefined: unless a percentage is set */
  readonly adaptive: boolean | undefined;
  /**
   * What a fold that prices decide on leaves of the conversation: "careful" 32,000 tokens, "balanced" 16,000, "thrifty" 8,000, or a
   * number of tokens. @default "balanced"
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
  /** What follows a failed condensation where something must go. @default "truncation" */
  readonly fallback: "truncation" | "error";
  /** By strategy; a blank one leaves the condenser's own. @default {} */
  readonly customPrompts: Readonly<Record<string, string>>;
  /** Condense ahead of need, without holding up the turn. @default false */
  readonly background: boolean;
  /** How often a model may be asked per turn. @default 4 */
  readonly maxModelCalls: number;
  /** How long one reply may take. @default 120_000 */
  readonly timeoutMs: number;
  /** Newest messages that stay as they are. @default undefined: the model's own */
  readonly keepMessages: number | undefined;
  /** How old tool results are cleared before anything is condensed. */
  readonly clear: ClearConfiguration;
}

/** How old tool results are shown as stubs. */
export interface ClearConfiguration {
  /** Results of the tools with these names are not cleared; they may still be hidden with their messages, or clipped. @default [] */
  readonly excludeTools: readonly string[];
  /** What a stub says in place of the tool and its main argument. @default undefined: the tool and its main argument */
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
  /** How much smaller the prompt must become. @default 20 */
  readonly minSavingPercent: number;
  /** The share of critical facts, from 0 to 1, that must stay visible. @default undefined: the validator's own */
  readonly minFactSurvival: number | undefined;
  /**
   * What a model's summary must reach of a ledger's back-test, as a share: 1 demands that it is as good, 0 refuses nothing.
   * @default undefined: the validator's own
   */
  readonly minBackTest: number | undefined;
}

/** How much is written to the log. */
export type LogLevel = "silent" | LineLevel;

/** How important a line of the log is. */
export type LineLevel = "error" | "warn" | "info" | "debug";

/** What is told to whom. */
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
  /** Whether the model is told how full its window is: a line in the newest message at every 10 percent from 20 on. @default false */
  readonly budgetNotice: boolean;
}

/**
 * What applies where nobody says otherwise.
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

/** Lists, and tables by name, are taken as they are: a name without a value would say nothing. */
export type DeepPartial<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? string extends keyof Value
      ? Value
      : { readonly [Key in keyof Value]?: DeepPartial<Value[Key]> | undefined }
    : Value;
