import { stringOf } from "../json.ts";
import { renderError } from "../openai/render-error.ts";
import { bearerOf, COMMENT, refuse, type WireProtocol } from "../wire-protocol.ts";
import { renderReply } from "./render-reply.ts";
import { renderFailure, renderStream } from "./render-stream.ts";
import { findFaults } from "./validate.ts";

const PATH = "/v1/responses";

/** OpenAI's Responses API and its count of tokens, with nothing kept from one request to the next. */
export const openaiResponsesWire: WireProtocol = {
  wire: "openai-responses",
  readTarget({ pathname }, body) {
    if (pathname !== PATH && pathname !== `${PATH}/input_tokens`) return undefined;
    const operation = pathname === PATH ? "generate" : "count-tokens";
    const isStreaming = operation === "generate" && body.stream === true;
    return { operation, modelId: stringOf(body.model), isStreaming, framing: "events" };
  },
  readKey: ({ headers }) => bearerOf(headers),
  findFaults,
  wrongKey: refuse("Incorrect API key provided.", { status: 401, code: "invalid_api_key" }),
  brokenJson: refuse("We could not parse the JSON body of your request."),
  renderError,
  // a prompt above the window is found out only when the stream has begun
  refusesInStream: ({ code }) => code === "context_length_exceeded",
  renderFailure,
  renderSignOfLife: () => COMMENT,
  renderReply,
  renderStream,
  renderCount: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
};
