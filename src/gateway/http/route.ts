import type { IncomingHttpHeaders } from "node:http";
import { assert } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { WireAdapter, WireName, WireUpstream } from "../../core/ports/wire-adapter.ts";

/** Where a request goes. */
export interface Route {
  /** The API of the request; undefined if it cannot hold a conversation. */
  readonly api: WireName | undefined;
  readonly upstream: WireUpstream;
}

/** Finds the API and the upstream of a request; `path` has no query. */
export type Router = (method: string, path: string, headers: IncomingHttpHeaders) => Route;

export function createRouter(adapters: readonly WireAdapter[]): Router {
  const upstreams = upstreamsOf(adapters);
  const common = commonOf(upstreams);

  function upstreamFor(adapter: WireAdapter | undefined, path: string, headers: IncomingHttpHeaders): WireUpstream {
    if (adapter !== undefined && !adapter.upstream.isCommon) return adapter.upstream;
    const byPath = upstreams.find(({ paths }) => paths?.test(path));
    if (byPath !== undefined) return byPath;
    // The headers are not asked here: some agents send those of every provider to a common upstream.
    if (adapter !== undefined) return adapter.upstream;
    return upstreams.find((upstream) => upstream.headers?.some((name) => headers[name] !== undefined)) ?? common;
  }

  return (method, path, headers) => {
    const adapter = adapters.find((candidate) => candidate.operationOf(path) !== undefined);
    return { api: method === "POST" ? adapter?.name : undefined, upstream: upstreamFor(adapter, path, headers) };
  };
}

/** Returns the upstream of requests that no adapter and no other upstream claims. */
function commonOf(upstreams: readonly WireUpstream[]): WireUpstream {
  const common = upstreams.find(({ isCommon }) => isCommon) ?? upstreams[0];
  assert(common !== undefined, "options.adapters", upstreams, "at least one adapter");
  return common;
}

/** Returns the upstreams of the adapters, each once. */
export function upstreamsOf(adapters: readonly WireAdapter[]): readonly WireUpstream[] {
  return [...new Map(adapters.toReversed().map(({ upstream }) => [upstream.name, upstream])).values()].reverse();
}

/** A configured upstream. */
export interface UpstreamBase {
  readonly origin: string;
  /** Such as `/api/v1`, or empty. */
  readonly basePath: string;
}

/** Reads the base URL that is configured for an upstream. Throws if it is no URL of HTTP. */
export function readUpstreamBase(name: string, url: string): UpstreamBase {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new PalimpsestError(
      "invalid-configuration",
      `The upstream "${name}" is no URL that starts with http:// or https://; give one such as https://api.example.com/v1.`,
    );
  }
  return { origin: parsed.origin, basePath: parsed.pathname.replace(/(?<!\/)\/+$/, "") };
}

const BASE_VERSION = /\/v\d+(?:[A-Za-z_]\w*)?$/;
const PATH_VERSION = /^\/(upload\/)?v\d+([A-Za-z_]\w*)?(?=[/:]|$)/;

/**
 * Joins the path of a base URL and the path of a request, as the API's own clients do. Some clients append `/chat/completions` to a base that has
 * a path (`replacesVersion`): then the version in the request's path is dropped. Others append a version and a path: then one version is dropped
 * only if both have one. That of the base is kept, because it may be v4 although every agent says v1; but a version with a stage, such as
 * v1beta, is the agent's choice and is kept instead.
 */
export function joinPath(
  { replacesVersion = false }: Pick<WireUpstream, "replacesVersion">,
  basePath: string,
  path: string,
): string {
  const [whole, upload, stage] = PATH_VERSION.exec(path) ?? [];
  if (whole === undefined || basePath === "") return basePath + path;
  const isStaged = upload !== undefined || stage !== undefined;
  if (replacesVersion) return basePath + (isStaged ? path : path.slice(whole.length));
  if (!BASE_VERSION.test(basePath)) return basePath + path;
  return isStaged ? basePath.replace(BASE_VERSION, "") + path : basePath + path.slice(whole.length);
}
