import { WIRE_ADAPTERS } from "../../adapters/index.ts";
import { describeValue } from "../../core/assert.ts";
import type { Upstreams } from "../../gateway/gateway.ts";
import { joinPath, readUpstreamBase, upstreamsOf } from "../../gateway/http/route.ts";
import type { Api } from "./agent.ts";

export const APIS: readonly Api[] = ["anthropic", "openai", "gemini"];

/** The version of each API, with which its paths begin. */
const VERSIONS: Readonly<Record<Api, string>> = { anthropic: "/v1", openai: "/v1", gemini: "/v1beta" };

/** A base URL that was read, or why it was refused. */
export type ReadBaseUrl =
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "refused"; readonly why: string };

/** Reads the base URL of an upstream. */
export function readBaseUrl(text: string): ReadBaseUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return { type: "refused", why: `is ${describeValue(text)}; it must be an http or https URL.` };
  }
  // The URL is not quoted in the error, which may be logged.
  if (url.username !== "" || url.password !== "") {
    return {
      type: "refused",
      why: "is a URL with a user name or a password; leave them out: the agent's own key is passed on.",
    };
  }
  if (url.search !== "" || url.hash !== "") {
    return { type: "refused", why: "is a URL with a query or a fragment; leave them out." };
  }
  return { type: "url", url: `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}` };
}

/** The base URL of an API's upstream with its version, which model handlers need; undefined if no upstream is set for the API. */
export function withVersion(upstreams: Upstreams, api: Api): string | undefined {
  const upstream = upstreams[api];
  if (upstream === undefined) return undefined;
  const { origin, basePath } = readUpstreamBase(api, upstream);
  const described = upstreamsOf(WIRE_ADAPTERS).find(({ name }) => name === api) ?? {};
  return `${origin}${joinPath(described, basePath, VERSIONS[api])}`;
}

/** Whether a base URL has a path besides its origin. */
export function hasPath(url: string): boolean {
  return !/^\/*$/.test(URL.parse(url)?.pathname ?? "");
}
