import { parseJson } from "../../core/json/parse-json.ts";
import type { Upstreams } from "../../gateway/gateway.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Environment } from "../terminal/output.ts";
import type { Agent, Api, BaseUrlVariable, JsonTemplate, Way } from "./agent.ts";
import { USUAL_WAYS } from "./agents.ts";
import { hasPath, readBaseUrl } from "./base-url.ts";
import type { FoundAgent } from "./find-agent.ts";

/** How an agent is started so that it asks the gateway. */
export interface PointedAgent {
  readonly command: readonly string[];
  /** All of its environment: what was there before, and what points it. */
  readonly environment: Environment;
  /** What the person should be told beforehand. */
  readonly notes: readonly string[];
}

export interface PointAgentOptions {
  readonly found: FoundAgent;
  readonly command: readonly string[];
  readonly environment: Environment;
  /** The gateway's. */
  readonly url: string;
  /** Writes a file for this run, and returns its path. */
  readonly writeFile: (fileName: string, content: string) => string;
  /** APIs whose requests go elsewhere than the environment says. @default none */
  readonly overruled?: readonly Api[];
  /** Whether it is given the gateway's MCP server, where that is possible. @default true */
  readonly hasRecall?: boolean;
}

/** Points an agent at the gateway; one that nobody knows gets the variables that most programs read. */
export function pointAgent(options: PointAgentOptions): PointedAgent {
  const { found, command, environment, hasRecall = true } = options;
  const { agent, place } = found;
  const ways = [...(agent?.ways ?? USUAL_WAYS), ...(hasRecall ? (agent?.recallWays ?? []) : [])];
  const additions: Addition[] = [];
  const variables: Record<string, string> = {};
  for (const way of waysThatApply(ways, environment)) {
    const addition = additionOf(way, options, variables);
    additions.push(addition);
    Object.assign(variables, addition.variables);
  }
  const notes = additions.flatMap((each) => each.notes ?? []);
  return {
    command: command.toSpliced(place + 1, 0, ...additions.flatMap((each) => each.arguments ?? [])),
    environment: { ...environment, ...variables, ...withoutProxy(environment) },
    notes: agent === undefined ? [...notes, unknownNote(command[0] ?? "", Object.keys(variables))] : notes,
  };
}

/** What one way adds. */
interface Addition {
  readonly variables?: Readonly<Record<string, string>>;
  readonly arguments?: readonly string[];
  readonly notes?: readonly string[];
}

/** `variables` are those that ways before it set. */
function additionOf(way: Way, options: PointAgentOptions, variables: Readonly<Record<string, string>>): Addition {
  const { environment, url, writeFile } = options;
  switch (way.type) {
    case "base-url":
      return { variables: { [way.name]: baseFor(way, options) } };
    case "json-variable": {
      const merged = mergeJson(variables[way.name] ?? environment[way.name], way.value, url);
      if (merged !== undefined) return { variables: { [way.name]: merged } };
      return { notes: [`${way.name} is no JSON object, so it was left alone.`] };
    }
    case "arguments": {
      const base = way.base === undefined ? url : baseFor(way.base, options);
      return { arguments: way.values.map((value) => fill(value, url).replaceAll("{base}", base)) };
    }
    case "file": {
      const path = writeFile(way.fileName, fill(way.content, url));
      return { arguments: /=@?$/.test(way.option) ? [`${way.option}${path}`] : [way.option, path] };
    }
    case "file-variable":
      if ((environment[way.name] ?? "") !== "") return {};
      return { variables: { [way.name]: writeFile(way.fileName, fill(way.content, url)) } };
    case "note":
      return { notes: [fill(way.text, url)] };
  }
}

/** An agent whose base URL was a server and nothing more must not be given a version: that server may not know it. */
function baseFor(
  { name, api, path }: BaseUrlVariable,
  { environment, url, overruled = [] }: PointAgentOptions,
): string {
  const before = (overruled.includes(api) ? undefined : environment[name]?.trim()) ?? "";
  return before === "" || hasPath(before) ? `${url}${path}` : url;
}

/** The ways that hold in an environment. */
function waysThatApply(ways: readonly Way[], environment: Environment): readonly Way[] {
  return ways.filter(({ applies }) => applies === undefined || applies(environment));
}

function fill(text: string, url: string): string {
  return text.replaceAll("{url}", url);
}

function unknownNote(program: string, names: readonly string[]): string {
  return `${program} is no agent that Palimpsest knows. It is started with ${names.join(", ")} set; see docs/guides/agents.md.`;
}

/** The JSON with ours in it; undefined where it is something else. */
function mergeJson(text: string | undefined, ours: JsonTemplate, url: string): string | undefined {
  const filled: unknown = parseJson(fill(JSON.stringify(ours), url));
  if ((text ?? "").trim() === "") return JSON.stringify(filled);
  try {
    const given: unknown = parseJson(text ?? "");
    return isObject(given) ? JSON.stringify(merge(given, filled)) : undefined;
  } catch {
    return undefined;
  }
}

function merge(given: unknown, ours: unknown): unknown {
  if (!isObject(given) || !isObject(ours)) return ours;
  const merged = Object.entries(ours).map(([key, value]) => [key, merge(given[key], value)]);
  return { ...given, ...Object.fromEntries(merged) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const LOOPBACK = ["127.0.0.1", "localhost"];

/** The variables that keep an agent's requests to this machine away from a proxy of its network. */
function withoutProxy(environment: Environment): Readonly<Record<string, string>> {
  const { NO_PROXY: upper, no_proxy: lower } = environment;
  // Programs read one of the two, and not all the same one.
  return { NO_PROXY: withLoopback(upper || lower), no_proxy: withLoopback(lower || upper) };
}

function withLoopback(hosts = ""): string {
  const listed = hosts
    .split(",")
    .map((host) => host.trim())
    .filter((host) => host !== "");
  if (listed.includes("*")) return hosts;
  return [...listed, ...LOOPBACK.filter((host) => !listed.includes(host))].join(",");
}

/**
 * Where an agent's requests would go without the gateway: to the base URLs that its variables hold, else where that agent's usually
 * go. An API that is not named here goes where it usually goes.
 */
export function agentUpstreams(agent: Agent | undefined, environment: Environment): Upstreams {
  const found: Partial<Record<Api, string>> = { ...agent?.upstreams };
  const isFound = new Set<Api>();
  for (const way of waysThatApply(agent?.ways ?? USUAL_WAYS, environment)) {
    const variable = variableOf(way);
    if (variable === undefined || isFound.has(variable.api)) continue;
    const value = environment[variable.name]?.trim() ?? "";
    if (value === "") continue;
    const read = readBaseUrl(value);
    if (read.type === "refused") throw new CommandError(2, `run: the variable ${variable.name} ${read.why}`);
    found[variable.api] = asUpstream(read.url, variable);
    isFound.add(variable.api);
  }
  return found;
}

function variableOf(way: Way): BaseUrlVariable | undefined {
  if (way.type === "arguments") return way.base;
  return way.type === "base-url" ? way : undefined;
}

/** To an upstream of OpenAI's that has a path nothing but `/chat/completions` is added; some agents would add the version too. */
function asUpstream(url: string, { api, path }: BaseUrlVariable): string {
  return api === "openai" && path === "" && hasPath(url) ? `${url}/v1` : url;
}
