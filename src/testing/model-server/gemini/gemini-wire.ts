import { COMMENT, headerOf, refuse, type WireProtocol } from "../wire-protocol.ts";
import { renderError } from "./render-error.ts";
import { renderReply } from "./render-reply.ts";
import { renderFailure, renderStream } from "./render-stream.ts";
import { findFaults } from "./validate.ts";

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
