import type { IncomingHttpHeaders } from "node:http";
import { assert } from "../../core/assert.ts";
import type { WireAdapter, WireName, WireUpstream } from "../../core/ports/wire-adapter.ts";

/** Where a request belongs. */
export interface Route {
  /** Only where the request may hold a conversation. */
  readonly api: WireName | undefined;
  readonly upstream: WireUpstream;
}

/** Finds the API and the upstream that a request belongs to; its path is without the query. */
export type Router = (method: string, path: string, headers: IncomingHttpHeaders) => Route;

export function createRouter(adapters: readonly WireAdapter[]): Router {
  const upstreams = upstreamsOf(adapters);
  const common = commonOf(upstreams);

  function upstreamFor(adapter: WireAdapter | undefined, path: string, headers: IncomingHttpHeaders): WireUpstream {
    if (adapter !== undefined && !adapter.upstream.isCommon) return adapter.upstream;
    const byPath = upstreams.find(({ paths }) => paths?.test(path));
    if (byPath !== undefined) return byPath;
    // Some agents send the headers of every provider to a common one.
    if (adapter !== undefined) return adapter.upstream;
    return upstreams.find((upstream) => upstream.headers?.some((name) => headers[name] !== undefined)) ?? common;
  }

  return (method, path, headers) => {
    const adapter = adapters.find((each) => each.operationOf(path) !== undefined);
    return { api: method === "POST" ? adapter?.name : undefined, upstream: upstreamFor(adapter, path, headers) };
  };
}

/** The upstream of requests that no adapter claims. */
function commonOf(upstreams: readonly WireUpstream[]): WireUpstream {
  const common = upstreams.find(({ isCommon }) => isCommon) ?? upstreams[0];
  assert(common !== undefined, "options.adapters", upstreams, "at least one adapter");
  return common;
}

/** The upstreams of some adapters, each once. */
export function upstreamsOf(adapters: readonly WireAdapter[]): readonly WireUpstream[] {
  return [...new Map(adapters.toReversed().map(({ upstream }) => [upstream.name, upstream])).values()].reverse();
}
