import type { Upstreams } from "../../gateway/gateway.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Environment } from "../terminal/style.ts";
import type { Agent, Api, BaseUrlVariable, Way } from "./agent.ts";
import { USUAL_WAYS } from "./agents.ts";
import { hasPath, readBaseUrl } from "./base-url.ts";
import { waysThatApply } from "./point-agent.ts";

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
