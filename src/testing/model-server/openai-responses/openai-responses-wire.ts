import { stringOf } from "../json.ts";
import { renderError } from "../openai/render-error.ts";
import { bearerOf, refuse, type WireProtocol } from "../wire-protocol.ts";
import { renderReply } from "./render-reply.ts";
import { renderRefusedStream, renderStream } from "./render-stream.ts";
import { findFaults } from "./validate.ts";

/** OpenAI's Responses API, with nothing kept from one request to the next. */
export const openaiResponsesWire: WireProtocol = {
  wire: "openai-responses",
  readTarget({ pathname }, body) {
    if (pathname !== "/v1/responses") return undefined;
    const isStreaming = body.stream === true;
    return { operation: "generate", modelId: stringOf(body.model), isStreaming, framing: "events" };
  },
  readKey: ({ headers }) => bearerOf(headers),
  findFaults,
  wrongKey: refuse("Incorrect API key provided.", { status: 401, code: "invalid_api_key" }),
  brokenJson: refuse("We could not parse the JSON body of your request."),
  renderError,
  renderRefusedStream,
  renderReply,
  renderStream,
  renderCount: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
};
