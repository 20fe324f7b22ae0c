import { assertConfiguration } from "./assert-configuration.ts";
import {
  type Configuration,
  DEFAULT_CONFIGURATION,
  type MonitoringConfiguration,
  type ResolvedConfiguration,
  type StrategiesConfiguration,
  type ThresholdsConfiguration,
  type ValidationConfiguration,
} from "./configuration.ts";
import { deepFreeze } from "./deep-freeze.ts";

/**
 * Merges the settings of `input` over those of `base` into a frozen copy. Throws one error with a line for each fault: a value
 * that is not allowed, or a key that is no setting.
 * @default base DEFAULT_CONFIGURATION
 */
export function resolveConfiguration(
  input: Configuration = {},
  base: ResolvedConfiguration = DEFAULT_CONFIGURATION,
): ResolvedConfiguration {
  assertConfiguration("base", base);
  assertConfiguration("configuration", input);
  return deepFreeze(merge(merge(DEFAULT_CONFIGURATION, base), input));
}

function merge(base: ResolvedConfiguration, given: Configuration): ResolvedConfiguration {
  return {
    thresholds: mergeThresholds(base.thresholds, given.thresholds ?? {}),
    strategies: mergeStrategies(base.strategies, given.strategies ?? {}),
    validation: mergeValidation(base.validation, given.validation ?? {}),
    monitoring: mergeMonitoring(base.monitoring, given.monitoring ?? {}),
  };
}

type Given<Section extends keyof ResolvedConfiguration> = NonNullable<Configuration[Section]>;

function mergeThresholds(base: ThresholdsConfiguration, given: Given<"thresholds">): ThresholdsConfiguration {
  return {
    global: given.global ?? base.global,
    profiles: { ...base.profiles, ...given.profiles },
    adaptive: given.adaptive ?? base.adaptive,
    economy: given.economy ?? base.economy,
  };
}

function mergeStrategies(base: StrategiesConfiguration, given: Given<"strategies">): StrategiesConfiguration {
  return {
    primary: given.primary ?? base.primary,
    fallback: given.fallback ?? base.fallback,
    customPrompts: { ...base.customPrompts, ...given.customPrompts },
    background: given.background ?? base.background,
    maxModelCalls: given.maxModelCalls ?? base.maxModelCalls,
    timeoutMs: given.timeoutMs ?? base.timeoutMs,
    keepMessages: given.keepMessages ?? base.keepMessages,
    clear: {
      excludeTools: [...(given.clear?.excludeTools ?? base.clear.excludeTools)],
      placeholder: given.clear?.placeholder ?? base.clear.placeholder,
    },
  };
}

function mergeValidation(base: ValidationConfiguration, given: Given<"validation">): ValidationConfiguration {
  const rules = given.rules ?? {};
  return {
    enabled: given.enabled ?? base.enabled,
    rules: {
      minSavingPercent: rules.minSavingPercent ?? base.rules.minSavingPercent,
      minFactSurvival: rules.minFactSurvival ?? base.rules.minFactSurvival,
      minBackTest: rules.minBackTest ?? base.rules.minBackTest,
    },
    metrics: given.metrics ?? base.metrics,
  };
}

function mergeMonitoring(base: MonitoringConfiguration, given: Given<"monitoring">): MonitoringConfiguration {
  return {
    telemetry: given.telemetry ?? base.telemetry,
    logging: given.logging ?? base.logging,
    hooks: given.hooks ?? base.hooks,
    budgetNotice: given.budgetNotice ?? base.budgetNotice,
  };
}
