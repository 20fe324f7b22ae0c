import { ProxyFailure } from "./connectors.ts";
import type { Fault } from "./fault.ts";

const TIMEOUTS: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
]);

/** The answer to a client whose upstream never answered. */
export function upstreamFault(origin: string, error: Error): Fault {
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  if (error instanceof ProxyFailure) {
    const message = `The proxy that the environment names made no connection to ${origin} (${code}). Check HTTPS_PROXY, or list the upstream's host in NO_PROXY.`;
    return { status: 502, code: "upstream-unreachable", message };
  }
  if (TIMEOUTS.has(code)) {
    const message = `${origin} did not answer in time (${code}). Try again, or check the upstream that the gateway was given.`;
    return { status: 504, code: "upstream-timeout", message };
  }
  const message = `${origin} could not be reached, or closed the connection without an answer (${code}). Check the network, and the upstream that the gateway was given.`;
  return { status: 502, code: "upstream-unreachable", message };
}
