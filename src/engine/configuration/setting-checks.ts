import { MAX_CONDENSE_THRESHOLD, MIN_CONDENSE_THRESHOLD } from "../../core/policy/condense-threshold.ts";
import { ECONOMY_CHOICES, isEconomy } from "../../core/policy/economy.ts";
import { LONGEST_TIMEOUT_MS } from "../time-limit.ts";
import type { ResolvedConfiguration } from "./configuration.ts";
import { LOG_LEVELS } from "./log-level.ts";

/** The check of one setting. */
export interface SettingCheck {
  isAllowed(value: unknown): boolean;
  /** Completes the sentence "it must be …". */
  readonly allowed: string;
}

const FLAG: SettingCheck = { isAllowed: (value) => typeof value === "boolean", allowed: "true or false" };
const TEXT: SettingCheck = { isAllowed: (value) => typeof value === "string", allowed: "a string" };
const NUMBER: SettingCheck = {
  isAllowed: (value) => typeof value === "number" && !Number.isNaN(value),
  allowed: "a number",
};
const COUNT: SettingCheck = {
  isAllowed: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  allowed: "a whole number of at least 0",
};

const NAMES: SettingCheck = {
  isAllowed: (value) => Array.isArray(value) && value.every((name) => typeof name === "string" && name !== ""),
  allowed: "a list of names",
};

/** The check of each setting by its path; `*` stands for any name. A missing setting does not compile. */
export const SETTING_CHECKS = {
  "thresholds.global": numberFrom(MIN_CONDENSE_THRESHOLD, MAX_CONDENSE_THRESHOLD),
  "thresholds.profiles.*": NUMBER,
  "thresholds.adaptive": FLAG,
  "thresholds.economy": { isAllowed: isEconomy, allowed: ECONOMY_CHOICES },
  "strategies.primary": oneOf("llm", "truncation", "hybrid"),
  "strategies.fallback": oneOf("truncation", "error"),
  "strategies.customPrompts.*": TEXT,
  "strategies.background": FLAG,
  "strategies.maxModelCalls": COUNT,
  "strategies.timeoutMs": numberFrom(1, LONGEST_TIMEOUT_MS),
  "strategies.keepMessages": COUNT,
  "strategies.clear.excludeTools": NAMES,
  "strategies.clear.placeholder": TEXT,
  "validation.enabled": FLAG,
  "validation.rules.minSavingPercent": numberFrom(0, 100),
  "validation.rules.minFactSurvival": numberFrom(0, 1),
  "validation.rules.minBackTest": numberFrom(0, 1),
  "validation.metrics": FLAG,
  "monitoring.telemetry": FLAG,
  "monitoring.logging": either(FLAG, oneOf(...LOG_LEVELS)),
  "monitoring.hooks": FLAG,
  "monitoring.budgetNotice": FLAG,
} as const satisfies Record<PathOf<ResolvedConfiguration>, SettingCheck>;

/** The path of every setting in `Value`, with `*` for the names of a table. */
type PathOf<Value> = {
  [Key in keyof Value & string]: Value[Key] extends readonly unknown[]
    ? Key
    : Value[Key] extends object
      ? string extends keyof Value[Key]
        ? `${Key}.*`
        : `${Key}.${PathOf<Value[Key]>}`
      : Key;
}[keyof Value & string];

function numberFrom(least: number, most: number): SettingCheck {
  return {
    isAllowed: (value) => typeof value === "number" && value >= least && value <= most,
    allowed: `a number from ${least} to ${most}`,
  };
}

function either(one: SettingCheck, other: SettingCheck): SettingCheck {
  return {
    isAllowed: (value) => one.isAllowed(value) || other.isAllowed(value),
    allowed: `${one.allowed}, or ${other.allowed}`,
  };
}

function oneOf(...choices: readonly string[]): SettingCheck {
  const quoted = choices.map((choice) => JSON.stringify(choice));
  return {
    isAllowed: (value) => typeof value === "string" && choices.includes(value),
    allowed: `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`,
  };
}
