import { WIRE_ADAPTERS } from "../adapters/index.ts";
import type { CacheMarking, CacheTtl, KeptRequests, RequestBudgets, Upstreams } from "./gateway.ts";
import { upstreamsOf } from "./http/route.ts";

/** The port that a gateway listens on if none is configured. */
export const DEFAULT_PORT = 7717;
export const DEFAULT_HOST = "127.0.0.1";

export const KEPT_REQUESTS: readonly KeptRequests[] = ["all", "off"];
export const CACHE_MARKINGS: readonly CacheMarking[] = ["folded", "always", "off"];
export const CACHE_TTLS: readonly CacheTtl[] = ["5m", "1h"];
/** The kinds of requests that have a budget each. */
export const REQUEST_KINDS: readonly (keyof RequestBudgets)[] = ["main", "sub-agent", "side"];

/** The upstream URLs that are not configured otherwise. */
export const DEFAULT_UPSTREAMS: Upstreams = Object.fromEntries(
  upstreamsOf(WIRE_ADAPTERS).map(({ name, url }) => [name, url]),
);
