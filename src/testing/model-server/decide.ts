import type { IncomingHttpHeaders } from "node:http";
import { wellFormedValue } from "../../core/text/well-formed.ts";
import { anthropicWire } from "./anthropic/anthropic-wire.ts";
import { deepseekWire } from "./deepseek/deepseek-wire.ts";
import { geminiWire } from "./gemini/gemini-wire.ts";
import { type JsonObject, parseJsonObject } from "./json.ts";
import type { ModelRequest, PromptCacheUse } from "./model-server.ts";
import { openaiWire } from "./openai/openai-wire.ts";
import { openaiResponsesWire } from "./openai-responses/openai-responses-wire.ts";
import { countPromptTokens, promptBlocks } from "./prompt.ts";
import type { Refusal, RequestTarget, WireProtocol, WireRequest } from "./wire-protocol.ts";

const PROTOCOLS: readonly WireProtocol[] = [anthropicWire, openaiWire, openaiResponsesWire, geminiWire, deepseekWire];

export interface RawRequest {
  readonly method: string;
  /** The path of the URL, with the query. */
  readonly path: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly type: "text"; readonly text: string } | { readonly type: "too-large" };
}

export interface Received {
  readonly raw: RawRequest;
  readonly protocol: WireProtocol;
  readonly request: WireRequest;
  /** Why the provider would refuse it; undefined where it would accept it. */
  readonly refusal: Refusal | undefined;
}

/** The server's options with their defaults filled in. */
export interface Settings {
  readonly apiKey: string | undefined;
  readonly models: readonly string[] | undefined;
  readonly contextWindowOf: (modelId: string) => number;
  readonly maxBodyBytes: number;
}

/** Reads a request and validates it; undefined where no wire has this path. */
export function receive(raw: RawRequest, settings: Settings): Received | undefined {
  const body = raw.body.type === "text" ? parseJsonObject(raw.body.text) : undefined;
  const found = raw.method === "POST" ? findTarget(raw.url, body ?? {}) : undefined;
  if (found === undefined) return undefined;
  const { protocol, target } = found;
  const managed = protocol.manage?.({ body: body ?? {}, operation: target.operation }) ?? {
    body: body ?? {},
    appliedEdits: [],
  };
  const windowBlocks = promptBlocks(managed.body);
  const blocks = managed.compaction?.body === undefined ? windowBlocks : promptBlocks(managed.compaction.body);
  const request: WireRequest = {
    ...target,
    url: raw.url,
    headers: raw.headers,
    body: body ?? {},
    managed,
    blocks,
    promptTokens: countPromptTokens(blocks),
    windowTokens: countPromptTokens(windowBlocks),
    contextWindow: settings.contextWindowOf(target.modelId),
    models: settings.models,
  };
  const isKeyRight = settings.apiKey === undefined || protocol.readKey(request) === settings.apiKey;
  const bodyFault = faultOfBody({ raw, body, protocol, settings });
  const [fault] = bodyFault === undefined ? protocol.findFaults(request) : [bodyFault];
  return { raw, protocol, request, refusal: isKeyRight ? fault : protocol.wrongKey };
}

interface BodyCheck {
  readonly raw: RawRequest;
  readonly body: JsonObject | undefined;
  readonly protocol: WireProtocol;
  readonly settings: Settings;
}

function faultOfBody({ raw, body, protocol, settings }: BodyCheck): Refusal | undefined {
  if (raw.body.type === "too-large") {
    return { status: 413, message: `Request exceeds the maximum size of ${settings.maxBodyBytes} bytes` };
  }
  if (body === undefined) return protocol.brokenJson;
  // Only an escape can write one: bytes that are no UTF-8 are read as another character.
  if (!/\\u[dD][89a-fA-F]/.test(raw.body.text) || wellFormedValue(body) === body) return undefined;
  return { ...protocol.brokenJson, message: `${protocol.brokenJson.message}: no low surrogate in string` };
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

export interface Fate {
  readonly outcome: ModelRequest["outcome"];
  readonly cache?: PromptCacheUse | undefined;
}

/** The record of a request for tests. */
export function recordOf({ raw, protocol, request, refusal }: Received, { outcome, cache }: Fate): ModelRequest {
  const { operation, modelId, isStreaming, headers, body, promptTokens } = request;
  return {
    wire: protocol.wire,
    path: raw.path,
    operation,
    modelId,
    isStreaming,
    headers,
    body,
    rawBody: raw.body.type === "text" ? raw.body.text : "",
    promptTokens,
    outcome,
    ...(refusal === undefined ? {} : { refusal: refusal.message }),
    ...(cache === undefined ? {} : { cache }),
  };
}
