import { stringOf } from "../json.ts";
import { renderReply } from "../openai/render-reply.ts";
import { renderFailure, renderStream } from "../openai/render-stream.ts";
import { bearerOf, COMMENT, refuse, type WireProtocol } from "../wire-protocol.ts";
import { renderError } from "./render-error.ts";
import { renderUsage } from "./render-usage.ts";
import { withReasoning } from "./thinking.ts";
import { findFaults } from "./validate.ts";

const PATH = /^\/deepseek(?:\/v1|\/beta)?\/chat\/completions$/;

/** Chat Completions as DeepSeek speaks it: reasoning is told, and must come back. */
export const deepseekWire: WireProtocol = {
  wire: "deepseek",
  readTarget({ pathname }, body) {
    if (!PATH.test(pathname)) return undefined;
    const isStreaming = body.stream === true;
    return { operation: "generate", modelId: stringOf(body.model), isStreaming, framing: "events" };
  },
  readKey: ({ headers }) => bearerOf(headers),
  findFaults,
  wrongKey: refuse("Authentication Fails, Your api key is invalid", { status: 401, type: "authentication_error" }),
  brokenJson: refuse("Failed to parse the request body as JSON"),
  renderError,
  renderFailure: (refusal) => renderFailure(renderError(refusal)),
  renderSignOfLife: () => COMMENT,
  renderReply: (answer, request) => renderReply(withReasoning(answer, request), request, renderUsage),
  renderStream: (answer, request) => renderStream(withReasoning(answer, request), request, renderUsage),
  renderCount: (tokens) => ({ tokens }),
};
