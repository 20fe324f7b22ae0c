import { stringOf } from "../json.ts";
import { bearerOf, COMMENT, refuse, type WireProtocol } from "../wire-protocol.ts";
import { renderError, renderFailure, renderReply, renderStream } from "./render-reply.ts";
import { findFaults } from "./validate.ts";

/** OpenAI's Chat Completions, which local servers speak, too. */
export const openaiWire: WireProtocol = {
  wire: "openai",
  readTarget({ pathname }, body) {
    if (pathname !== "/v1/chat/completions") return undefined;
    const isStreaming = body.stream === true;
    return { operation: "generate", modelId: stringOf(body.model), isStreaming, framing: "events" };
  },
  readKey: ({ headers }) => bearerOf(headers),
  findFaults,
  wrongKey: refuse("Incorrect API key provided.", { status: 401, code: "invalid_api_key" }),
  brokenJson: refuse("We could not parse the JSON body of your request."),
  renderError,
  renderFailure: (refusal) => renderFailure(renderError(refusal)),
  renderSignOfLife: () => COMMENT,
  renderReply: (answer, request) => renderReply(answer, request),
  renderStream: (answer, request) => renderStream(answer, request),
  renderCount: (tokens) => ({ tokens }),
};
