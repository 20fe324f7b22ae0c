import type { Answer } from "../answer.ts";
import { isJsonObject, type JsonObject, stringOf } from "../json.ts";
import { renderError } from "../openai/render-reply.ts";
import {
  bearerOf,
  COMMENT,
  type Refusal,
  type RequestTarget,
  refuse,
  type StreamParts,
  type WireProtocol,
  type WireRequest,
} from "../wire-protocol.ts";
import { managePrompt } from "./manage-prompt.ts";
import { responseId } from "./output-ids.ts";
import { type ItemEvents, renderItemEvents, type StreamEvent } from "./render-item-events.ts";
import { renderItems } from "./render-items.ts";
import { renderCompacted, renderReply, renderResponse } from "./render-reply.ts";
import { findFaults } from "./validate.ts";

function renderStream(answer: Answer, request: WireRequest): StreamParts {
  const items = renderItems(answer, request).map(renderItemEvents);
  // a fault in mid-stream leaves the last item open
  const last: ItemEvents | undefined = items.pop();
  const opening = openingOf(renderResponse(answer.serial, request));
  const content = [...items.flatMap(({ content: said, end }) => [...said, ...end]), ...(last?.content ?? [])];
  const end = [...(last?.end ?? []), { type: "response.completed", response: renderReply(answer, request) }];
  return {
    opening: written(opening, 0),
    content: written(content, opening.length),
    end: written(end, opening.length + content.length),
  };
}

/** A failure after the opening of a stream. */
function renderFailure({ code = "server_error", message }: Refusal, request: WireRequest): readonly string[] {
  const response = renderResponse(0, request);
  const failed = { type: "response.failed", response: { ...response, status: "failed", error: { code, message } } };
  return written([failed], openingOf(response).length);
}

function openingOf(response: JsonObject): readonly StreamEvent[] {
  return [
    { type: "response.created", response },
    { type: "response.in_progress", response },
  ];
}

function written(events: readonly StreamEvent[], firstNumber: number): readonly string[] {
  return events.map(({ type, ...fields }, index) => {
    const data = { type, sequence_number: firstNumber + index, ...fields };
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  });
}

const PATH = "/v1/responses";
const OPERATIONS: ReadonlyMap<string, RequestTarget["operation"]> = new Map([
  [PATH, "generate"],
  [`${PATH}/input_tokens`, "count-tokens"],
  [`${PATH}/compact`, "compact"],
]);

/** OpenAI's Responses API with its token count, without stored responses. */
export const openaiResponsesWire: WireProtocol = {
  wire: "openai-responses",
  readTarget({ pathname }, body) {
    const operation = OPERATIONS.get(pathname);
    if (operation === undefined) return undefined;
    const isStreaming = operation === "generate" && body.stream === true;
    return { operation, modelId: stringOf(body.model), isStreaming, framing: "events" };
  },
  readKey: ({ headers }) => bearerOf(headers),
  replyId: responseId,
  comparedReply: ({ prompt_cache_options: options }) => {
    const id = isJsonObject(options) ? options.comparison_response_id : undefined;
    return typeof id === "string" ? id : undefined;
  },
  manage: managePrompt,
  findFaults,
  wrongKey: refuse("Incorrect API key provided.", { status: 401, code: "invalid_api_key" }),
  brokenJson: refuse("We could not parse the JSON body of your request."),
  renderError,
  // the provider finds a prompt too long only after the stream has begun
  refusesInStream: ({ code }) => code === "context_length_exceeded",
  renderFailure,
  renderSignOfLife: () => COMMENT,
  renderReply,
  renderStream,
  renderCount: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  renderCompacted,
};
