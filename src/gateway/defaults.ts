import { WIRE_ADAPTERS } from "../adapters/index.ts";
import type { Upstreams } from "./gateway.ts";
import { upstreamsOf } from "./http/route.ts";

/** Where a gateway listens unless someone says otherwise. */
export const DEFAULT_PORT = 7717;
export const DEFAULT_HOST = "127.0.0.1";

/** Where requests go unless someone says otherwise. */
export const DEFAULT_UPSTREAMS: Upstreams = Object.fromEntries(
  upstreamsOf(WIRE_ADAPTERS).map(({ name, url }) => [name, url]),
);
