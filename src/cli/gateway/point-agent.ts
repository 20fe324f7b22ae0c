import { parseJson } from "../../core/json/parse-json.ts";
import { isRecord } from "../../core/json/read-json.ts";
import type { Upstreams } from "../../gateway/gateway.ts";
import { guidePath } from "../guide-path.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Environment } from "../terminal/output.ts";
import type { Agent, Api, BaseUrlVariable, JsonTemplate, Way } from "./agent.ts";
import { USUAL_WAYS } from "./agents.ts";
import { hasPath, readBaseUrl } from "./base-url.ts";
import type { FoundAgent } from "./find-agent.ts";

/** The command and environment that start an agent with the gateway as its server. */
export interface PointedAgent {
  readonly command: readonly string[];
  /** The agent's whole environment. */
  readonly environment: Environment;
  /** Notes for the person, to be shown before the agent starts. */
  readonly notes: readonly string[];
}

export interface PointAgentOptions {
  readonly found: FoundAgent;
  readonly command: readonly string[];
  readonly environment: Environment;
  /** The gateway's URL. */
  readonly url: string;
  /** Writes a file for this run, and returns its path. */
  readonly writeFile: (fileName: string, content: string) => string;
  /** APIs whose upstream is set by an option, so that the base URL in the environment does not count. @default none */
  readonly overruled?: readonly Api[];
  /** Whether the agent is given the gateway's MCP server, if it can take one. @default true */
  readonly hasRecall?: boolean;
}

/** Points an agent at the gateway. An unknown agent gets the variables that most programs read. */
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
  const notes = additions.flatMap((addition) => addition.notes ?? []);
  return {
    command: command.toSpliced(place + 1, 0, ...additions.flatMap((addition) => addition.arguments ?? [])),
    environment: { ...environment, ...variables, ...withoutProxy(environment) },
    notes: agent === undefined ? [...notes, unknownNote(command[0] ?? "", Object.keys(variables))] : notes,
  };
}

/** What one way adds to the agent's start. */
interface Addition {
  readonly variables?: Readonly<Record<string, string>>;
  readonly arguments?: readonly string[];
  readonly notes?: readonly string[];
}

/** The addition of one way; `variables` holds those that earlier ways have set. */
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

/** The base URL for the agent. If its own base URL had no path, neither has ours: the person's server may not know the version. */
function baseFor(
  { name, api, path }: BaseUrlVariable,
  { environment, url, overruled = [] }: PointAgentOptions,
): string {
  const before = (overruled.includes(api) ? undefined : environment[name]?.trim()) ?? "";
  return before === "" || hasPath(before) ? `${url}${path}` : url;
}

/** The ways that apply in an environment. */
export function waysThatApply(ways: readonly Way[], environment: Environment): readonly Way[] {
  return ways.filter(({ applies }) => applies === undefined || applies(environment));
}

function fill(text: string, url: string): string {
  return text.replaceAll("{url}", url);
}

function unknownNote(program: string, names: readonly string[]): string {
  return `${program} is no agent that Palimpsest knows. It is started with ${names.join(", ")} set; see ${guidePath("agents")}.`;
}

/** The variable's JSON with ours merged into it; undefined if it is no JSON object. */
function mergeJson(text: string | undefined, ours: JsonTemplate, url: string): string | undefined {
  const filled: unknown = parseJson(fill(JSON.stringify(ours), url));
  if ((text ?? "").trim() === "") return JSON.stringify(filled);
  try {
    const given: unknown = parseJson(text ?? "");
    return isRecord(given) ? JSON.stringify(merge(given, filled)) : undefined;
  } catch {
    return undefined;
  }
}

function merge(given: unknown, ours: unknown): unknown {
  if (!isRecord(given) || !isRecord(ours)) return ours;
  const merged = Object.entries(ours).map(([key, value]) => [key, merge(given[key], value)]);
  return { ...given, ...Object.fromEntries(merged) };
}

const LOOPBACK = ["127.0.0.1", "localhost"];

/** The variables that keep an agent's requests to this machine from going through a proxy. */
function withoutProxy(environment: Environment): Readonly<Record<string, string>> {
  const { NO_PROXY: upper, no_proxy: lower } = environment;
  // Some programs read the upper-case variable, others the lower-case one.
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
 * The upstreams to which an agent's requests would go without the gateway: the base URLs in its variables, or else the agent's own defaults. An API
 * that is not in the result has its default upstream.
 */
export function agentUpstreams(agent: Agent | undefined, environment: Environment): Upstreams {
  const upstreams: Partial<Record<Api, string>> = { ...agent?.upstreams };
  const fromVariables = new Set<Api>();
  for (const way of waysThatApply(agent?.ways ?? USUAL_WAYS, environment)) {
    const variable = variableOf(way);
    if (variable === undefined || fromVariables.has(variable.api)) continue;
    const value = environment[variable.name]?.trim() ?? "";
    if (value === "") continue;
    const read = readBaseUrl(value);
    if (read.type === "refused") throw new CommandError(2, `run: the variable ${variable.name} ${read.why}`);
    upstreams[variable.api] = asUpstream(read.url, variable);
    fromVariables.add(variable.api);
  }
  return upstreams;
}

function variableOf(way: Way): BaseUrlVariable | undefined {
  if (way.type === "arguments") return way.base;
  return way.type === "base-url" ? way : undefined;
}

/** The upstream for an agent's base URL. Agents that add the version themselves leave it out of the URL; our upstreams with a path must have it. */
function asUpstream(url: string, { api, path }: BaseUrlVariable): string {
  return api === "openai" && path === "" && hasPath(url) ? `${url}/v1` : url;
}
