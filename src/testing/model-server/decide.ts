import type { IncomingHttpHeaders } from "node:http";
import { anthropicWire } from "./anthropic/anthropic-wire.ts";
import { deepseekWire } from "./deepseek/deepseek-wire.ts";
import { geminiWire } from "./gemini/gemini-wire.ts";
import { type JsonObject, parseJsonObject } from "./json.ts";
import type { ModelRequest, ModelServerOptions } from "./model-server.ts";
import { openaiWire } from "./openai/openai-wire.ts";
import { countPromptTokens } from "./prompt-tokens.ts";
import type { Refusal, RequestTarget, WireProtocol, WireRequest } from "./wire-protocol.ts";

const PROTOCOLS: readonly WireProtocol[] = [anthropicWire, openaiWire, geminiWire, deepseekWire];

/** What Anthropic takes at most; the others are held to the same. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

const TOO_MANY_BYTES: Refusal = {
  status: 413,
  message: `Request exceeds the maximum size of ${MAX_BODY_BYTES} bytes`,
};

export interface RawRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly type: "text"; readonly text: string } | { readonly type: "too-large" };
}

export interface Received {
  readonly protocol: WireProtocol;
  readonly request: WireRequest;
  /** Undefined where the provider would accept it. */
  readonly refusal: Refusal | undefined;
}

/** The server's options with their defaults filled in. */
export type Settings = ModelServerOptions & { readonly contextWindow: number };

/** Reads a request and judges it; undefined where no wire has this path. */
export function receive(raw: RawRequest, settings: Settings): Received | undefined {
  const body = raw.body.type === "text" ? parseJsonObject(raw.body.text) : undefined;
  const found = raw.method === "POST" ? findTarget(raw.url, body ?? {}) : undefined;
  if (found === undefined) return undefined;
  const { protocol, target } = found;
  const request: WireRequest = {
    ...target,
    url: raw.url,
    headers: raw.headers,
    body: body ?? {},
    promptTokens: countPromptTokens(body ?? {}),
    contextWindow: settings.contextWindow,
    models: settings.models,
  };
  const isKeyRight = settings.apiKey === undefined || protocol.readKey(request) === settings.apiKey;
  const bodyFault = faultOfBody(raw, body, protocol);
  const [fault] = bodyFault === undefined ? protocol.findFaults(request) : [bodyFault];
  return { protocol, request, refusal: isKeyRight ? fault : protocol.wrongKey };
}

function faultOfBody(raw: RawRequest, body: JsonObject | undefined, protocol: WireProtocol): Refusal | undefined {
  if (raw.body.type === "too-large") return TOO_MANY_BYTES;
  return body === undefined ? protocol.brokenJson : undefined;
}

function findTarget(
  url: URL,
  body: JsonObject,
): { readonly protocol: WireProtocol; readonly target: RequestTarget } | undefined {
  for (const protocol of PROTOCOLS) {
    const target = protocol.readTarget(url, body);
    if (target !== undefined) return { protocol, target };
  }
  return undefined;
}

/** The request as tests see it. */
export function recordOf({ protocol, request, refusal }: Received, outcome: ModelRequest["outcome"]): ModelRequest {
  const { operation, modelId, isStreaming, headers, body, promptTokens } = request;
  const record = { wire: protocol.wire, operation, modelId, isStreaming, headers, body, promptTokens, outcome };
  return refusal === undefined ? record : { ...record, refusal: refusal.message };
}
