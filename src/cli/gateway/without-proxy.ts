import type { Environment } from "../terminal/style.ts";

const LOOPBACK = ["127.0.0.1", "localhost"];

/** The variables that keep an agent's requests to this machine away from a proxy of its network. */
export function withoutProxy(environment: Environment): Readonly<Record<string, string>> {
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
