import { ECONOMY_CHOICES, isEconomy } from "../../core/policy/economy.ts";
import type { Retention } from "../../core/store/plan-retention.ts";
import type { Configuration, LineLevel, LogLevel } from "../../engine/configuration/configuration.ts";
import { isLogged, LOG_LEVELS } from "../../engine/configuration/log-level.ts";
import { CACHE_MARKINGS, CACHE_TTLS, KEPT_REQUESTS, REQUEST_KINDS } from "../../gateway/defaults.ts";
import type {
  CacheOptions,
  GatewayLimits,
  KeptRequests,
  RequestBudgets,
  Upstreams,
  Windows,
} from "../../gateway/gateway.ts";
import { offloadFolder } from "../sessions/offload-folder.ts";
import { readRetention } from "../sessions/retention-options.ts";
import { type Arguments, type Command, choiceOption, wrongUsage } from "../terminal/command-line.ts";
import { parseCount } from "../terminal/numbers.ts";
import type { Environment, Output } from "../terminal/output.ts";
import { APIS, readBaseUrl } from "./base-url.ts";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
import { POLICIES } from "./gateway-options.ts";
import { type GatewayStoreLocation, gatewayStoreLocation } from "./gateway-store.ts";

/** The settings of a gateway, from flags, the file of `--config` and the environment; the first that has a setting wins. */
export interface GatewaySettings {
  readonly upstreams: Upstreams;
  readonly windows: Windows | undefined;
  readonly budgets: RequestBudgets | undefined;
  readonly store: GatewayStoreLocation;
  /** `provider/model` */
  readonly condenseWith: string | undefined;
  /** The folder for large tool outputs. */
  readonly offload: string | undefined;
  /** Whether the gateway offers the recall tool itself. */
  readonly recallTool: boolean | undefined;
  readonly keepRequests: KeptRequests | undefined;
  readonly cache: CacheOptions;
  readonly configuration: Configuration | undefined;
  /** Undefined if no level is set: then only incidents are logged. */
  readonly logLevel: LogLevel | undefined;
  readonly limits: Partial<GatewayLimits> | undefined;
  /** Which sessions the store keeps; all others are removed. */
  readonly retention: Retention | undefined;
  /** The folder whose files are kept, if one is named; false if no files may be kept. */
  readonly checkpoints: string | false | undefined;
  /** The whole file: how the commands choose host and port differs. */
  readonly file: ConfigFile;
}

/** Reads the settings that `up` and `run` share. Throws a `CommandError` with exit code 2 that says how to fix a wrong one. */
export function gatewaySettings(command: Command, given: Arguments, environment: Environment): GatewaySettings {
  const { config, store: storeText } = given.values;
  const file = config === undefined ? {} : readConfigFile(command, config);
  const store = { ...given, values: { ...given.values, store: storeText ?? file.store } };
  const configuration = readConfiguration(command, given, file.configuration);
  return {
    upstreams: { ...file.upstreams, ...readUpstreams(command, given) },
    windows: readWindows(command, given) ?? file.windows,
    budgets: { ...file.budgets, ...readBudgets(command, given) },
    store: gatewayStoreLocation(command, store, environment),
    condenseWith: given.values["condense-with"] ?? file.condenseWith,
    offload: offloadFolder(command, given, { file: file.offload, environment }),
    recallTool: given.flags.has("recall-tool") || file.recallTool,
    keepRequests: choiceOption(command, given, { name: "keep-requests", choices: KEPT_REQUESTS }) ?? file.keepRequests,
    cache: {
      breakpoints:
        choiceOption(command, given, { name: "cache-breakpoints", choices: CACHE_MARKINGS }) ?? file.cache?.breakpoints,
      ttl: choiceOption(command, given, { name: "cache-ttl", choices: CACHE_TTLS }) ?? file.cache?.ttl,
      diagnosis: given.flags.has("cache-diagnosis") || file.cache?.diagnosis,
    },
    configuration,
    logLevel: levelOf(configuration?.monitoring?.logging),
    limits: file.limits,
    retention: retentionOf(command, given, file),
    checkpoints: given.flags.has("no-checkpoints") ? false : (given.values.checkpoints ?? file.checkpoints),
    file,
  };
}

function retentionOf(command: Command, { values }: Arguments, { retention }: ConfigFile): Retention | undefined {
  const { keep, "keep-size": keepSize } = values;
  const options = { keep: "keep", keepSize: "keep-size" };
  const given = readRetention({ keep, keepSize }, (field, what) => wrongUsage(command, `--${options[field]} ${what}`));
  return given === undefined ? retention : { ...retention, ...definedOf(given) };
}

function definedOf({ keepMs, keepBytes }: Retention): Retention {
  return { ...(keepMs !== undefined && { keepMs }), ...(keepBytes !== undefined && { keepBytes }) };
}

/** The log level for incidents; undefined if it is not set. `false` only turns off the engine's own lines. */
function levelOf(logging: boolean | LogLevel | undefined): LogLevel | undefined {
  if (typeof logging === "string") return logging;
  return logging === true ? "info" : undefined;
}

/** Returns a log function that writes lines of the wanted levels. The engine's lines were filtered by its configuration before. */
export function gatewayLog(notes: Output, level: LogLevel = "info"): (line: string, level: LineLevel) => void {
  return (line, lineLevel) => {
    if (isLogged(level, lineLevel)) notes.write(`palimpsest: ${line}\n`);
  };
}

function readUpstreams(command: Command, { values }: Arguments): Upstreams {
  const read = APIS.flatMap((api) => {
    const option = values[`${api}-upstream`] === undefined ? "upstream" : `${api}-upstream`;
    const text = values[option];
    if (text === undefined) return [];
    const url = readBaseUrl(text);
    if (url.type === "refused") throw wrongUsage(command, `--${option} ${url.why}`);
    return [[api, url.url]];
  });
  return Object.fromEntries(read);
}

function readWindows(command: Command, { values }: Arguments): Windows | undefined {
  const text = values.window;
  if (text === undefined) return undefined;
  let all: number | undefined;
  const models: Record<string, number> = {};
  // A comma may also be a thousands separator: 128,000.
  for (const part of text.split(/,(?!\d{3}(?:,|$))/)) {
    const sign = part.lastIndexOf("=");
    const tokens = parseCount(part.slice(sign + 1));
    const model = part.slice(0, Math.max(0, sign)).trim();
    if (tokens === undefined || tokens < 1 || (sign >= 0 && model === "")) {
      const allowed = "a number of tokens, such as 128k, or several of models: gpt-5=272k,claude-sonnet-4-5=200k";
      throw wrongUsage(command, `--window is ${JSON.stringify(text)}; it must be ${allowed}.`);
    }
    if (sign < 0) all = tokens;
    else models[model] = tokens;
  }
  return { all, models };
}

function readBudgets(command: Command, { values: { budget: text } }: Arguments): RequestBudgets {
  if (text === undefined) return {};
  const budgets = text.split(/,(?!\d{3}(?:,|$))/).map((part) => {
    const [name = "", count = ""] = part.split("=", 2);
    const kind = REQUEST_KINDS.find((candidate) => candidate === name.trim());
    const tokens = parseCount(count);
    if (kind !== undefined && tokens !== undefined && tokens >= 1) return [kind, tokens];
    const allowed = `budgets of ${REQUEST_KINDS.join(", ")}, such as sub-agent=60k,side=30k`;
    throw wrongUsage(command, `--budget is ${JSON.stringify(text)}; it must be ${allowed}.`);
  });
  return Object.fromEntries(budgets);
}

const LEAST_PERCENT = 5;

function readConfiguration(
  command: Command,
  given: Arguments,
  configuration: Configuration | undefined,
): Configuration | undefined {
  const logging = choiceOption(command, given, { name: "log-level", choices: LOG_LEVELS });
  const monitoring = {
    ...(logging === undefined ? {} : { logging }),
    ...(given.flags.has("budget-notice") ? { budgetNotice: true } : {}),
  };
  const monitored =
    Object.keys(monitoring).length === 0
      ? configuration
      : { ...configuration, monitoring: { ...configuration?.monitoring, ...monitoring } };
  const thresholds = {
    ...readThreshold(command, given),
    ...readPolicy(command, given),
    ...readEconomy(command, given),
  };
  if (Object.keys(thresholds).length === 0) return monitored;
  return { ...monitored, thresholds: { ...monitored?.thresholds, ...thresholds } };
}

type Thresholds = NonNullable<Configuration["thresholds"]>;

/** The threshold that `--threshold` sets. It also turns off the policy by prices that a file may set: a given percentage must hold. */
function readThreshold(command: Command, { values: { threshold: text } }: Arguments): Thresholds {
  if (text === undefined) return {};
  const percent = /^\d+(\.\d+)?\s*%?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent >= LEAST_PERCENT && percent <= 100) return { global: percent, adaptive: false };
  const what = `--threshold is ${JSON.stringify(text)}; it must be a percentage from ${LEAST_PERCENT} to 100.`;
  throw wrongUsage(command, what);
}

function readPolicy(command: Command, given: Arguments): Thresholds {
  const policy = choiceOption(command, given, { name: "policy", choices: POLICIES });
  return policy === undefined ? {} : { adaptive: policy === "rent" };
}

function readEconomy(command: Command, { values: { economy: text } }: Arguments): Thresholds {
  if (text === undefined) return {};
  const economy = parseCount(text) ?? text;
  if (isEconomy(economy)) return { economy };
  throw wrongUsage(command, `--economy is ${JSON.stringify(text)}; it must be ${ECONOMY_CHOICES}.`);
}
