import type { IncomingHttpHeaders } from "node:http";
import { assert } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { WireAdapter, WireName, WireUpstream } from "../../core/ports/wire-adapter.ts";

/** The API and the upstream that a request belongs to. */
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

/** A configured upstream. */
export interface UpstreamBase {
  readonly origin: string;
  /** Such as `/api/v1`, or empty. */
  readonly basePath: string;
}

/** Reads a base URL of the configuration; refuses what is none. */
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
 * The path of a request behind a base. A base means what it means to the API's own client: some put `/chat/completions` behind
 * one that has a path, so a version that the agent says is dropped; others put a version behind it, so that only of two versions one
 * stays. It is the base's, for it may be v4 where every agent says v1; but one with a stage, such as v1beta, is the agent's to choose.
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
