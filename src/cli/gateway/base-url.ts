import { describeValue } from "../../core/demand.ts";
import type { Upstreams } from "../../gateway/gateway.ts";
import type { Api } from "./agent.ts";

export const APIS: readonly Api[] = ["anthropic", "openai", "gemini"];

/** Where requests go unless someone says otherwise. */
export const DEFAULT_UPSTREAMS: Upstreams = {
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com",
  gemini: "https://generativelanguage.googleapis.com",
};

/** Of each API, as its paths begin. */
const VERSIONS: Readonly<Record<Api, string>> = { anthropic: "/v1", openai: "/v1", gemini: "/v1beta" };

/** A base URL that was read, or why it is none. */
export type ReadBaseUrl =
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "refused"; readonly why: string };

/** Reads where requests shall go; a version at its end, such as /v1, may be there or not. */
export function readBaseUrl(text: string): ReadBaseUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return { type: "refused", why: `is ${describeValue(text)}; it must be an http or https URL.` };
  }
  // Not described: errors are logged.
  if (url.username !== "" || url.password !== "") {
    return {
      type: "refused",
      why: "is a URL with a user name or a password; leave them out: the agent's own key is passed on.",
    };
  }
  if (url.search !== "" || url.hash !== "") {
    return { type: "refused", why: "is a URL with a query or a fragment; leave them out." };
  }
  return { type: "url", url: `${url.origin}${url.pathname.replace(/\/+$/, "")}` };
}

/** Whether a base URL says which version of an API it means. */
export function namesVersion(url: string): boolean {
  return /\/v\d+\w*\/?$/.test(url);
}

/** Where an API is, with its version: model handlers want it. */
export function withVersion(upstreams: Partial<Upstreams>, api: Api): string | undefined {
  const upstream = upstreams[api];
  return upstream === undefined || namesVersion(upstream) ? upstream : `${upstream}${VERSIONS[api]}`;
}
