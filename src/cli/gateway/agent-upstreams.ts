import type { Upstreams } from "../../gateway/gateway.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Environment } from "../terminal/style.ts";
import type { Agent, Api } from "./agent.ts";
import { USUAL_WAYS } from "./agents.ts";
import { readBaseUrl } from "./base-url.ts";
import { waysThatApply } from "./point-agent.ts";

/**
 * Where an agent's requests would go without the gateway: to the base URLs that its variables hold, else where that agent's usually
 * go. An API that is not named here goes where it usually goes.
 */
export function agentUpstreams(agent: Agent | undefined, environment: Environment): Partial<Upstreams> {
  const found: Partial<Record<Api, string>> = { ...agent?.upstreams };
  const isFound = new Set<Api>();
  for (const way of waysThatApply(agent?.ways ?? USUAL_WAYS, environment)) {
    if (way.type !== "base-url" || isFound.has(way.api)) continue;
    const value = environment[way.name]?.trim() ?? "";
    if (value === "") continue;
    const read = readBaseUrl(value);
    if (read.type === "refused") throw new CommandError(2, `run: the variable ${way.name} ${read.why}`);
    found[way.api] = read.url;
    isFound.add(way.api);
  }
  return found;
}
