import type { IncomingHttpHeaders } from "node:http";
import type { Answer } from "./answer.ts";
import type { JsonObject } from "./json.ts";
import type { ModelRequest, ModelWire } from "./model-server.ts";
import type { PromptBlock } from "./prompt.ts";

/** One provider's protocol: how requests look, what is refused, how replies and errors are written. */
export interface WireProtocol {
  readonly wire: ModelWire;
  /** What the request asks for; undefined where the path is not of this wire. */
  readTarget(url: URL, body: JsonObject): RequestTarget | undefined;
  /** The key that the client sent. */
  readKey(request: WireRequest): string | undefined;
  /** The id of a reply, by which a later request can name it. @default the provider compares no requests */
  replyId?(serial: number): string;
  /** The reply whose request this one is to be compared with; null where only later ones are. @default none */
  comparedReply?(body: JsonObject): string | null | undefined;
  /** What the provider makes of a prompt before its model reads it. @default nothing */
  manage?(request: Pick<WireRequest, "body" | "operation">): ManagedPrompt;
  /** In the order in which the provider would find them; only the first one is sent. */
  findFaults(request: WireRequest): Iterable<Refusal>;
  /** The refusal where the client sent no key or a wrong one. */
  readonly wrongKey: Refusal;
  readonly brokenJson: Refusal;
  renderError(refusal: Refusal): JsonObject;
  /** Whether the provider starts a stream before it finds this out. @default it never does */
  refusesInStream?(refusal: Refusal): boolean;
  /** The chunks that end a stream where the provider fails after opening it. */
  renderFailure(refusal: Refusal, request: WireRequest): readonly string[];
  /** A chunk without content, as providers send it while the reply is not there yet. */
  renderSignOfLife(request: WireRequest): string;
  renderReply(answer: Answer, request: WireRequest): JsonObject;
  renderStream(answer: Answer, request: WireRequest): StreamParts;
  renderCount(tokens: number, request: WireRequest): JsonObject;
  /** The reply to a request for a compacted window. @default the provider has none */
  renderCompacted?(serial: number, request: WireRequest): JsonObject;
}

/** A prompt after the provider's own context management. */
export interface ManagedPrompt {
  /** The body as the model reads it, or as the summary of it is made. */
  readonly body: JsonObject;
  /** The edits that were made, as replies report them. */
  readonly appliedEdits: readonly JsonObject[];
  /** @default nothing is compacted */
  readonly compaction?: Compaction | undefined;
}

/** A summary that the provider made of a conversation. */
export interface Compaction {
  readonly summary: string;
  /** What the model reads after it; undefined where the reply is the compaction alone. */
  readonly body: JsonObject | undefined;
  /** What the reply holds beside the compaction: OpenAI returns the user's messages, too. @default nothing */
  readonly retained?: readonly JsonObject[];
}

export interface RequestTarget {
  readonly operation: ModelRequest["operation"];
  readonly modelId: string;
  readonly isStreaming: boolean;
  /** Gemini streams one JSON array where events were not asked for. */
  readonly framing: "events" | "json-array";
}

export interface WireRequest extends RequestTarget {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  readonly managed: ManagedPrompt;
  readonly blocks: readonly PromptBlock[];
  /** Tokens of what the model reads: after a compaction, where there is one. */
  readonly promptTokens: number;
  /** Tokens of what must fit the window: before a compaction. */
  readonly windowTokens: number;
  readonly contextWindow: number;
  readonly models: readonly string[] | undefined;
}

/** A request turned down. What a wire's error shape has no place for is left out there. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
  readonly parameter?: string;
}

/** Chunks as they are written: a fault in mid-stream sends the content and not the end. */
export interface StreamParts {
  /** Announces a reply, with none of its content. */
  readonly opening: readonly string[];
  readonly content: readonly string[];
  readonly end: readonly string[];
}

/** A comment in a stream of events, as servers and proxies send it to keep connections open. */
export const COMMENT = ": keep-alive\n\n";

export function refuse(message: string, extra: Partial<Refusal> = {}): Refusal {
  return { status: 400, message, ...extra };
}

/** Whether a model exists: by the options' list, or by the wire's own family. */
export function isKnownModel({ modelId, models }: WireRequest, family: RegExp): boolean {
  return models === undefined ? family.test(modelId) : models.includes(modelId);
}

export function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(",") : (value ?? "");
}

export function bearerOf(headers: IncomingHttpHeaders): string | undefined {
  return /^Bearer (.+)$/i.exec(headerOf(headers, "authorization"))?.[1];
}
