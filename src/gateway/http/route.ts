import type { IncomingHttpHeaders } from "node:http";
import type { WireName } from "../../core/ports/wire-adapter.ts";
import type { Upstreams } from "../gateway.ts";

export type UpstreamName = keyof Upstreams;

/** Where a request belongs. */
export interface Route {
  /** Only where the request may hold a conversation. */
  readonly api: WireName | undefined;
  readonly upstream: UpstreamName;
}

const CONVERSATIONS: readonly (readonly [WireName, RegExp])[] = [
  ["anthropic", /\/messages(?:\/count_tokens)?$/],
  ["openai-chat", /\/chat\/completions$/],
  ["openai-responses", /\/responses$/],
  ["gemini", /(?::|%3a)(?:generateContent|streamGenerateContent|countTokens)$/i],
];

/** OpenAI's assistants have messages too, which are no requests to a model. */
const THREAD = /\/threads\//;
const GEMINI_PATH = /^\/(?:upload\/)?v\d+(?:alpha|beta)|(?::|%3a)(?:[a-z]*contents?|countTokens)$/i;
const ANTHROPIC_PATH = /^(?:\/v1)?\/messages(?:\/|$)/;

/** Which API and which upstream a path belongs to; it is without the query. */
export function routeOf(method: string, path: string, headers: IncomingHttpHeaders): Route {
  const api = conversationOf(path);
  return { api: method === "POST" ? api : undefined, upstream: upstreamOf(api, path, headers) };
}

function conversationOf(path: string): WireName | undefined {
  if (THREAD.test(path)) return undefined;
  return CONVERSATIONS.find(([, pattern]) => pattern.test(path))?.[0];
}

function upstreamOf(api: WireName | undefined, path: string, headers: IncomingHttpHeaders): UpstreamName {
  if (api === "anthropic") return "anthropic";
  if (GEMINI_PATH.test(path)) return "gemini";
  // some agents send the headers of every provider to an OpenAI-style one
  if (api !== undefined) return "openai";
  if (headers["x-goog-api-key"] !== undefined) return "gemini";
  const isAnthropic = headers["anthropic-version"] !== undefined || headers["anthropic-beta"] !== undefined;
  return isAnthropic || ANTHROPIC_PATH.test(path) ? "anthropic" : "openai";
}
