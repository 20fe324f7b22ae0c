import { WIRE_ADAPTERS } from "../adapters/index.ts";
import type { CacheMarking, CacheTtl, Upstreams } from "./gateway.ts";
import { upstreamsOf } from "./http/route.ts";

/** Where a gateway listens unless someone says otherwise. */
export const DEFAULT_PORT = 7717;
export const DEFAULT_HOST = "127.0.0.1";

export const CACHE_MARKINGS: readonly CacheMarking[] = ["folded", "always", "off"];
export const CACHE_TTLS: readonly CacheTtl[] = ["5m", "1h"];

/** Where requests go unless someone says otherwise. */
export const DEFAULT_UPSTREAMS: Upstreams = Object.fromEntries(
  upstreamsOf(WIRE_ADAPTERS).map(({ name, url }) => [name, url]),
);
