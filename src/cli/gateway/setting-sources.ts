import { isRecord } from "../../core/json/read-json.ts";
import { DEFAULT_HOST, DEFAULT_PORT, DEFAULT_UPSTREAMS } from "../../gateway/defaults.ts";
import type { Arguments, Command } from "../terminal/command-line.ts";
import type { Environment } from "../terminal/output.ts";
import { nameOfGatewayStore } from "./gateway-store.ts";
import { LAST_REPLIES_MS, namedSettings, type UpSettings } from "./up-settings.ts";

export type SettingSource = "flag" | "file" | "environment" | "default";

/** One setting of a gateway. */
export interface SourcedSetting {
  /** Its path in the file of `--config`, where the file can hold it; times and sizes that are texts there are numbers with their unit. */
  readonly name: string;
  /** Null for a setting that is off unless it is named. */
  readonly value: unknown;
  readonly from: SettingSource;
}

export interface SettingSourcesOptions {
  readonly command: Command;
  readonly given: Arguments;
  readonly environment: Environment;
  /** The settings of all sources together. */
  readonly named: UpSettings;
}

const MASK = "(set, not shown)";
const SECRET = /(?:token|key|secret|password)$/i;

/**
 * The settings with where each comes from. The sources are read one at a time by the reader that also reads them together, so that what is printed
 * cannot differ from what is used: a setting comes from the first source that names it by itself.
 */
export function settingSources({ command, given, environment, named }: SettingSourcesOptions): SourcedSetting[] {
  const { config, ...values } = given.values;
  const nothing: Arguments = { type: "run", values: {}, flags: new Set() };
  const read = (arguments_: Arguments, variables: Environment) =>
    leavesOf(namedTree(namedSettings(command, arguments_, variables), arguments_, variables));
  const sources: readonly (readonly [SettingSource, Leaves])[] = [
    ["flag", read({ ...given, values }, {})],
    ["file", read({ ...nothing, values: { config } }, {})],
    ["environment", read(nothing, environment)],
  ];
  const defaults = leavesOf(defaultTree(namedSettings(command, nothing, {})));
  const used = leavesOf(namedTree(named, given, environment));
  return [...new Set([...defaults.keys(), ...used.keys()])].map((name) => {
    const from = used.has(name) ? sources.find(([, leaves]) => leaves.has(name))?.[0] : undefined;
    const value = used.has(name) ? used.get(name) : defaults.get(name);
    return { name, value: typeof value === "string" && SECRET.test(name) ? MASK : value, from: from ?? "default" };
  });
}

/** The values that are neither objects nor absent, by their paths. */
type Leaves = ReadonlyMap<string, unknown>;

function leavesOf(tree: unknown, path = ""): Leaves {
  if (tree === undefined) return new Map();
  if (!isRecord(tree)) return new Map([[path, tree]]);
  return new Map(
    Object.entries(tree).flatMap(([key, value]) => [...leavesOf(value, path === "" ? key : `${path}.${key}`)]),
  );
}

/** The settings that these sources name, in the form of a configuration file. */
function namedTree({ settings, ...listening }: UpSettings, { values }: Arguments, environment: Environment): object {
  const { file, store, logLevel: _, ...others } = settings;
  const isStoreNamed = (values.store ?? file.store ?? environment.PALIMPSEST_STORE ?? "") !== "";
  return { ...listening, ...others, store: isStoreNamed ? nameOfGatewayStore(store) : undefined };
}

/** The defaults that are the same for every model. */
function defaultTree({ settings }: UpSettings): object {
  return {
    port: DEFAULT_PORT,
    host: DEFAULT_HOST,
    token: null,
    drainMs: LAST_REPLIES_MS,
    upstreams: DEFAULT_UPSTREAMS,
    store: nameOfGatewayStore(settings.store),
    checkpoints: null,
    offload: null,
    condenseWith: null,
    recallTool: false,
    keepRequests: "all",
    cache: { breakpoints: "folded", ttl: "5m", diagnosis: false },
    retention: { keepMs: null, keepBytes: null },
  };
}
