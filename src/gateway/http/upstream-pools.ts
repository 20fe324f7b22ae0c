import { authorizationTo, directConnector, openTunnels } from "./connectors.ts";
import { type KeptConnections, keepConnections, type Upstream } from "./kept-connections.ts";
import { type Environment, networkProxyFor } from "./network-proxy.ts";

export interface UpstreamPools {
  /** Returns the pool of connections to an origin, and opens it at the first call. */
  of(origin: string): Upstream;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

export interface UpstreamPoolsOptions {
  /** How long an upstream may take until the head of its reply. */
  readonly headersTimeoutMs: number;
  /** The variables of proxies are read in it, such as `HTTPS_PROXY`. @default connections are direct */
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
    const tunneled = keepConnections({ origin, connect: tunnels.connect, headersTimeoutMs });
    return {
      ...tunneled,
      close: async () => {
        await Promise.all([tunneled.close(), tunnels.close()]);
      },
    };
  }
  // Requests over plain HTTP are sent to the proxy with the whole URL as target: many proxies refuse to tunnel them.
  const toProxy = keepConnections({ origin: proxy.origin, connect: directConnector(), headersTimeoutMs });
  const proxyHeaders = Object.entries({ host: new URL(origin).host, ...authorizationTo(proxy) }).flat();
  return {
    ...toProxy,
    dispatch: ({ path, headers, ...request }, handler) =>
      toProxy.dispatch({ ...request, path: `${origin}${path}`, headers: [...headers, ...proxyHeaders] }, handler),
  };
}
