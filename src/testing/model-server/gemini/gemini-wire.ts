import type { Answer } from "../answer.ts";
import type { JsonObject } from "../json.ts";
import { splitText } from "../split-text.ts";
import {
  COMMENT,
  headerOf,
  type Refusal,
  refuse,
  type StreamParts,
  type WireProtocol,
  type WireRequest,
} from "../wire-protocol.ts";
import { renderCalls, renderReply, renderResponse } from "./render-reply.ts";
import { findFaults } from "./validate.ts";

function renderStream(answer: Answer, request: WireRequest): StreamParts {
  const pieces: readonly JsonObject[] = [
    ...splitText(answer.reasoning ?? "").map((text) => ({ text, thought: true })),
    ...splitText(answer.text).map((text) => ({ text })),
    ...renderCalls(answer, request),
  ];
  const content = pieces.map((part) => renderResponse(answer, request, { parts: [part], isLast: false }));
  const last = renderResponse(answer, request, { parts: [{ text: "" }], isLast: true });
  return request.framing === "events" ? asEvents(content, last) : asJsonArray(content, last);
}

/** An error inside a stream, as from servers behind a proxy: the provider itself refuses before it streams. */
function renderFailure(refusal: Refusal, { framing }: WireRequest): readonly string[] {
  const error = renderError(refusal);
  return [framing === "events" ? event(error) : `${JSON.stringify(error)}]`];
}

/** A stream of events, which opens with its HTTP head alone. */
function asEvents(content: readonly JsonObject[], last: JsonObject): StreamParts {
  return { opening: [], content: content.map(event), end: [event(last)] };
}

function event(response: JsonObject): string {
  return `data: ${JSON.stringify(response)}\r\n\r\n`;
}

function asJsonArray(content: readonly JsonObject[], last: JsonObject): StreamParts {
  return {
    opening: ["["],
    content: content.map((response) => `${JSON.stringify(response)},\r\n`),
    end: [`${JSON.stringify(last)}]`],
  };
}

const PATH = /^\/v1(?:beta|alpha)?\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

/** Gemini's generateContent, streamed or not, and countTokens. */
export const geminiWire: WireProtocol = {
  wire: "gemini",
  readTarget({ pathname, searchParams }) {
    const [, modelId, verb] = PATH.exec(pathname) ?? [];
    if (modelId === undefined) return undefined;
    return {
      operation: verb === "countTokens" ? "count-tokens" : "generate",
      modelId: decodeURIComponent(modelId),
      isStreaming: verb === "streamGenerateContent",
      framing: searchParams.get("alt") === "sse" ? "events" : "json-array",
    };
  },
  readKey: ({ headers, url }) => headerOf(headers, "x-goog-api-key") || (url.searchParams.get("key") ?? undefined),
  findFaults,
  wrongKey: refuse("API key not valid. Please pass a valid API key."),
  brokenJson: refuse("Invalid JSON payload received."),
  renderError,
  renderFailure,
  renderSignOfLife: ({ framing }) => (framing === "events" ? COMMENT : "\r\n"),
  renderReply,
  renderStream,
  renderCount: (tokens) => ({ totalTokens: tokens, promptTokensDetails: [{ modality: "TEXT", tokenCount: tokens }] }),
};

const STATUSES: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

function renderError({ status, message }: Refusal): JsonObject {
  const name = STATUSES[status] ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
  return { error: { code: status, message, status: name } };
}
