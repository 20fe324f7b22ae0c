import { readFileSync } from "node:fs";
import { describeValue } from "../../core/assert.ts";
import { parseJson } from "../../core/json/parse-json.ts";
import { isRecord } from "../../core/json/read-json.ts";
import { CLOSE_LIST, CLOSE_OBJECT, endOfString, OPEN_LIST, OPEN_OBJECT, QUOTE } from "../../core/json/scan-json.ts";
import type { Retention } from "../../core/store/plan-retention.ts";
import { assertConfiguration } from "../../engine/configuration/assert-configuration.ts";
import type { Configuration } from "../../engine/configuration/configuration.ts";
import { CACHE_MARKINGS, CACHE_TTLS, KEPT_REQUESTS, REQUEST_KINDS } from "../../gateway/defaults.ts";
import type {
  CacheOptions,
  GatewayLimits,
  KeptRequests,
  RequestBudgets,
  Upstreams,
  Windows,
} from "../../gateway/gateway.ts";
import { readRetention } from "../sessions/retention-options.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Command, wrongUsage } from "../terminal/command-line.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import { APIS, readBaseUrl } from "./base-url.ts";

/** The settings that a file given by `--config` may hold; all are optional. */
export interface ConfigFile {
  readonly port?: number;
  readonly host?: string;
  readonly upstreams?: Upstreams;
  readonly windows?: Windows;
  readonly budgets?: RequestBudgets;
  readonly store?: string;
  readonly condenseWith?: string;
  /** The folder for large tool outputs. */
  readonly offload?: string;
  /** The folder whose files are kept at each turn of a person; false for none. */
  readonly checkpoints?: string | false;
  /** Whether the gateway offers the recall tool itself. */
  readonly recallTool?: boolean;
  readonly keepRequests?: KeptRequests | undefined;
  readonly cache?: CacheOptions;
  readonly configuration?: Configuration;
  readonly limits?: Partial<GatewayLimits>;
  /** Which sessions the store keeps; all others are removed. */
  readonly retention?: Retention;
}

/** Reads a configuration file. Throws a `CommandError` that names the wrong field and what it must be. */
export function readConfigFile(command: Command, path: string): ConfigFile {
  const text = readText(command, path);
  const fields = createFields((what) => wrongUsage(command, `${path}: ${what}`));
  try {
    return readFields(fields, parseJson(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const isCut = endsEarly(text);
    const why = isCut ? "the JSON is truncated: it ends before everything that it opens is closed" : error.message;
    throw wrongUsage(command, `${path} is no JSON: ${why}${isCut ? "." : ""}`);
  }
}

/** Whether a list, an object or a string is still open at the end of the text: the messages of parsers differ for that. */
function endsEarly(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === OPEN_LIST || unit === OPEN_OBJECT) open++;
    else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) open--;
    else if (unit === QUOTE) at = endOfString(text, at) - 1;
  }
  return open > 0 || text.trim() === "";
}

function readText(command: Command, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const why = UNREADABLE[code] ?? (error instanceof Error ? error.message : String(error));
    throw new CommandError(1, `${command.name}: cannot read --config ${path}: ${why}`);
  }
}

/** The reasons by the file system's error codes. */
const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file. Check the path, or leave --config out.",
  ENOTDIR: "a part of the path is no folder. Check the path.",
  EISDIR: "it is a folder. Name a JSON file.",
  EACCES: "its permissions do not allow it.",
  EPERM: "its permissions do not allow it.",
};

function readFields(fields: Fields, file: unknown): ConfigFile {
  const given = fields.object("", file, [
    "port",
    "host",
    "upstreams",
    "windows",
    "budgets",
    "store",
    "condenseWith",
    "offload",
    "checkpoints",
    "recallTool",
    "keepRequests",
    "cache",
    "configuration",
    "limits",
    "retention",
  ]);
  return {
    ...fields.number("port", given.port, { least: 0, most: 65_535 }),
    ...fields.text("host", given.host),
    ...fields.text("store", given.store),
    ...fields.text("condenseWith", given.condenseWith),
    ...fields.text("offload", given.offload),
    ...(given.checkpoints === false ? { checkpoints: false } : fields.text("checkpoints", given.checkpoints)),
    ...fields.flag("recallTool", given.recallTool),
    ...(given.keepRequests !== undefined && {
      keepRequests: fields.choice("keepRequests", given.keepRequests, KEPT_REQUESTS),
    }),
    ...(given.upstreams !== undefined && { upstreams: readUpstreams(fields, given.upstreams) }),
    ...(given.windows !== undefined && { windows: readWindows(fields, given.windows) }),
    ...(given.budgets !== undefined && { budgets: readBudgets(fields, given.budgets) }),
    ...(given.cache !== undefined && { cache: readCache(fields, given.cache) }),
    ...(given.limits !== undefined && { limits: readLimits(fields, given.limits) }),
    ...(given.retention !== undefined && { retention: readRetentionField(fields, given.retention) }),
    ...(given.configuration !== undefined && { configuration: readConfiguration(fields, given.configuration) }),
  };
}

function readUpstreams(fields: Fields, value: unknown): Upstreams {
  const given = fields.object("upstreams", value, APIS);
  const read = APIS.flatMap((api) => {
    const { [api]: text } = fields.text(api, given[api], "upstreams.");
    if (text === undefined) return [];
    const url = readBaseUrl(text);
    if (url.type === "refused") throw fields.refuse(`upstreams.${api} ${url.why}`);
    return [[api, url.url]];
  });
  return Object.fromEntries(read);
}

function readWindows(fields: Fields, value: unknown): Windows {
  const given = fields.object("windows", value, ["all", "models"]);
  const models = given.models === undefined ? undefined : fields.object("windows.models", given.models);
  const read = Object.entries(models ?? {}).map(([model, tokens]) => {
    return fields.number(model, tokens, { least: 1, prefix: "windows.models." });
  });
  return {
    ...fields.number("all", given.all, { least: 1, prefix: "windows." }),
    ...(models !== undefined && { models: Object.assign({}, ...read) }),
  };
}

function readBudgets(fields: Fields, value: unknown): RequestBudgets {
  const given = fields.object("budgets", value, REQUEST_KINDS);
  return Object.assign(
    {},
    ...REQUEST_KINDS.map((kind) => fields.number(kind, given[kind], { least: 1, prefix: "budgets." })),
  );
}

function readCache(fields: Fields, value: unknown): CacheOptions {
  const given = fields.object("cache", value, ["breakpoints", "ttl", "diagnosis"]);
  return {
    breakpoints: fields.choice("cache.breakpoints", given.breakpoints, CACHE_MARKINGS),
    ttl: fields.choice("cache.ttl", given.ttl, CACHE_TTLS),
    ...fields.flag("diagnosis", given.diagnosis, "cache."),
  };
}

function readRetentionField(fields: Fields, value: unknown): Retention {
  const given = fields.object("retention", value, ["keep", "keepSize"]);
  const { keep } = fields.text("keep", given.keep, "retention.");
  const { keepSize } = fields.text("keepSize", given.keepSize, "retention.");
  const read = readRetention({ keep, keepSize }, (field, what) => fields.refuse(`retention.${field} ${what}`));
  if (read === undefined) throw fields.refuse("retention names nothing; it must have keep or keepSize.");
  return read;
}

const LIMITS: readonly (keyof GatewayLimits)[] = [
  "maxBodyBytes",
  "maxDecodedBytes",
  "maxHeaderBytes",
  "maxTargetBytes",
  "headersTimeoutMs",
  "requestTimeoutMs",
  "turnTimeoutMs",
  "storeTimeoutMs",
  "storeRestartMs",
  "checkpointTimeoutMs",
  "maxOpenSessions",
];

function readLimits(fields: Fields, value: unknown): Partial<GatewayLimits> {
  const given = fields.object("limits", value, LIMITS);
  return Object.assign({}, ...LIMITS.map((name) => fields.number(name, given[name], { least: 1, prefix: "limits." })));
}

function readConfiguration(fields: Fields, value: unknown): Configuration {
  try {
    assertConfiguration("configuration", value);
    return value;
  } catch (error) {
    throw fields.refuse(error instanceof Error ? error.message : String(error));
  }
}

/** Checks of single fields. Each returns an object with the field, to be spread; it is empty if the field is absent. */
type Fields = ReturnType<typeof createFields>;

interface NumberRule {
  readonly least: number;
  readonly most?: number;
  readonly prefix?: string;
}

function createFields(refuse: (what: string) => CommandError) {
  function mustBe(name: string, value: unknown, allowed: string): CommandError {
    return refuse(`${name} is ${describeValue(value)}; it must be ${allowed}.`);
  }
  return {
    refuse,
    /** @default known any field is allowed */
    object(name: string, value: unknown, known?: readonly string[]): Readonly<Record<string, unknown>> {
      if (!isRecord(value)) throw mustBe(name === "" ? "the file" : name, value, "an object");
      for (const key of Object.keys(value)) {
        if (known === undefined || known.includes(key)) continue;
        const hint = didYouMean(key, known) || ` There is ${known.join(", ")}.`;
        throw refuse(`${name === "" ? "" : `${name}.`}${key} is no setting.${hint}`);
      }
      return value;
    },
    number(name: string, value: unknown, { least, most = Number.MAX_SAFE_INTEGER, prefix = "" }: NumberRule) {
      if (value === undefined) return {};
      if (typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most) {
        return { [name]: value };
      }
      const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
      throw mustBe(`${prefix}${name}`, value, `a whole number ${range}`);
    },
    flag(name: string, value: unknown, prefix = ""): Readonly<Record<string, boolean>> {
      if (value === undefined) return {};
      if (typeof value === "boolean") return { [name]: value };
      throw mustBe(`${prefix}${name}`, value, "true or false");
    },
    choice<Choice extends string>(name: string, value: unknown, choices: readonly Choice[]): Choice | undefined {
      const choice = choices.find((candidate) => candidate === value);
      if (value === undefined || choice !== undefined) return choice;
      throw mustBe(name, value, `one of ${choices.join(", ")}`);
    },
    text(name: string, value: unknown, prefix = ""): Readonly<Record<string, string>> {
      if (value === undefined) return {};
      if (typeof value === "string" && value.trim() !== "") return { [name]: value };
      throw mustBe(`${prefix}${name}`, value, "a text, not empty");
    },
  };
}
