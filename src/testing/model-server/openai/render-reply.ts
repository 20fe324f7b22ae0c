import { type Answer, argumentsOf } from "../answer.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { splitText } from "../split-text.ts";
import type { Refusal, StreamParts, WireRequest } from "../wire-protocol.ts";

// a constant: the same script gives the same bytes in every run
const CREATED_SECONDS = 1_700_000_000;

/** Renders the usage in the form of a server of this family. */
type RenderUsage = (answer: Answer) => JsonObject;

export function renderReply(answer: Answer, request: WireRequest, usage: RenderUsage = renderUsage): JsonObject {
  const { text, reasoning, calls } = answer;
  const message = {
    role: "assistant",
    content: text === "" ? null : text,
    refusal: null,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(renderCall) }),
  };
  return {
    ...renderEnvelope(answer, request),
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(answer) }],
    usage: usage(answer),
  };
}

function renderEnvelope({ serial }: Answer, { modelId }: WireRequest): JsonObject {
  return { id: `chatcmpl-${String(serial).padStart(6, "0")}`, created: CREATED_SECONDS, model: modelId };
}

function renderCall(call: Answer["calls"][number]): JsonObject {
  return { id: call.id, type: "function", function: { name: call.name, arguments: argumentsOf(call) } };
}

function finishReasonOf({ calls }: Answer): "stop" | "tool_calls" {
  return calls.length > 0 ? "tool_calls" : "stop";
}

/** The prompt's total includes the cached tokens, whose number is in the details. */
function renderUsage({ usage }: Answer): JsonObject {
  const promptTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: promptTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

export function renderStream(answer: Answer, request: WireRequest, usage: RenderUsage = renderUsage): StreamParts {
  const options = request.body.stream_options;
  const includesUsage = isJsonObject(options) && options.include_usage === true;
  const envelope = { ...renderEnvelope(answer, request), object: "chat.completion.chunk" };
  const chunk = (delta: JsonObject, finishReason: string | null) =>
    event({
      ...envelope,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...(includesUsage ? { usage: null } : {}),
    });
  return {
    opening: [chunk({ role: "assistant", content: "" }, null)],
    content: deltasOf(answer).map((delta) => chunk(delta, null)),
    end: [
      chunk({}, finishReasonOf(answer)),
      ...(includesUsage ? [event({ ...envelope, choices: [], usage: usage(answer) })] : []),
      "data: [DONE]\n\n",
    ],
  };
}

function deltasOf({ text, reasoning = "", calls }: Answer): readonly JsonObject[] {
  return [
    ...splitText(reasoning).map((piece) => ({ reasoning_content: piece })),
    ...splitText(text).map((content) => ({ content })),
    ...calls.flatMap((call, index) => [
      { tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }] },
      ...splitText(argumentsOf(call)).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ];
}

/** An error inside a stream, as from servers behind a proxy that has sent comments already: the provider itself refuses before it streams. */
export function renderFailure(error: JsonObject): readonly string[] {
  return [event(error)];
}

function event(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export function renderError({ status, message, type, code, parameter }: Refusal): JsonObject {
  return {
    error: {
      message,
      type: type ?? typeOf(status),
      param: parameter ?? null,
      code: code ?? (status === 429 ? "rate_limit_exceeded" : null),
    },
  };
}

function typeOf(status: number): string {
  if (status === 429) return "requests";
  return status >= 500 ? "server_error" : "invalid_request_error";
}
