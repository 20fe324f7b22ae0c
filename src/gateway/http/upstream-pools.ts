import { authorizationTo, directConnector, openTunnels } from "./connectors.ts";
import { type KeptConnections, keepConnections, type Upstream } from "./kept-connections.ts";
import { type Environment, networkProxyFor } from "./network-proxy.ts";

export interface UpstreamPools {
  /** The connections to an origin, which are kept and used again. */
  of(origin: string): Upstream;
  /** Ends every connection. */
  close(): Promise<void>;
}

export interface UpstreamPoolsOptions {
  /** How long an upstream may take to begin its answer. */
  readonly headersTimeoutMs: number;
  /** Holds `HTTPS_PROXY` and its like. @default connections are direct */
  readonly environment?: Environment | undefined;
}

export function openUpstreamPools({ headersTimeoutMs, environment = {} }: UpstreamPoolsOptions): UpstreamPools {
  const opened = new Map<string, KeptConnections>();
  return {
    of: (origin) => {
      const upstream = opened.get(origin) ?? openUpstream(origin, environment, headersTimeoutMs);
      opened.set(origin, upstream);
      return upstream;
    },
    close: async () => {
      await Promise.all([...opened.values()].map((upstream) => upstream.close()));
    },
  };
}

function openUpstream(origin: string, environment: Environment, headersTimeoutMs: number): KeptConnections {
  const proxy = networkProxyFor(origin, environment);
  if (proxy === undefined) return keepConnections({ origin, connect: directConnector(), headersTimeoutMs });
  if (origin.startsWith("https:")) {
    const tunnels = openTunnels(origin, proxy);
    const inside = keepConnections({ origin, connect: tunnels.connect, headersTimeoutMs });
    return {
      ...inside,
      close: async () => {
        await Promise.all([inside.close(), tunnels.close()]);
      },
    };
  }
  // Of plain HTTP a proxy is asked for the whole URL: many refuse to tunnel it.
  const outside = keepConnections({ origin: proxy.origin, connect: directConnector(), headersTimeoutMs });
  const added = Object.entries({ host: new URL(origin).host, ...authorizationTo(proxy) }).flat();
  return {
    ...outside,
    dispatch: ({ path, headers, ...request }, handler) =>
      outside.dispatch({ ...request, path: `${origin}${path}`, headers: [...headers, ...added] }, handler),
  };
}
