import { isJsonObject, type JsonObject, objectsOf } from "../json.ts";
import { isKnownModel, type Refusal, refuse, type WireRequest } from "../wire-protocol.ts";
import { emptyArray, missing, toolNameFaults } from "./refusals.ts";
import { MAX_NAME_LENGTH, messageFaults, pairFaults } from "./validate-messages.ts";

/** Reasoning models, which refuse `max_tokens` and every temperature but the default. */
const REASONING_MODELS = /^(?:o\d|gpt-5(?!\.|-chat))/;

export function* findFaults(request: WireRequest): Generator<Refusal> {
  const { body, modelId } = request;
  if (modelId === "") yield refuse("you must provide a model parameter");
  if (!isKnownModel(request, /./)) {
    yield refuse(`The model \`${modelId}\` does not exist or you do not have access to it.`, {
      status: 404,
      code: "model_not_found",
    });
  }
  yield* parameterFaults(body, modelId);
  yield* messageFaults(body.messages);
  yield* pairFaults(objectsOf(body.messages));
  yield* windowFaults(request);
}

function* parameterFaults(body: JsonObject, modelId: string): Generator<Refusal> {
  if (Array.isArray(body.tools) && body.tools.length === 0) yield emptyArray("tools");
  for (const [index, { type, function: declared }] of objectsOf(body.tools).entries()) {
    if (type !== "function") continue;
    const place = `tools[${index}].function`;
    if (!isJsonObject(declared)) yield missing(place);
    else yield* toolNameFaults(declared.name, `${place}.name`, MAX_NAME_LENGTH);
  }
  if (body.stream_options !== undefined && body.stream_options !== null && body.stream !== true) {
    yield refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      parameter: "stream_options",
    });
  }
  if (isGiven(body.max_tokens) && isGiven(body.max_completion_tokens)) {
    yield refuse("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", {
      code: "invalid_parameter_combination",
    });
  }
  if (!REASONING_MODELS.test(modelId)) return;
  if (isGiven(body.max_tokens)) {
    yield refuse(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { parameter: "max_tokens", code: "unsupported_parameter" },
    );
  }
  if (isGiven(body.temperature) && body.temperature !== 1) {
    yield refuse(
      `Unsupported value: 'temperature' does not support ${String(body.temperature)} with this model. Only the default (1) value is supported.`,
      { parameter: "temperature", code: "unsupported_value" },
    );
  }
}

/** The prompt and the longest reply asked for must fit together. */
export function* windowFaults({ body, promptTokens, contextWindow }: WireRequest): Generator<Refusal> {
  const limit = body.max_completion_tokens ?? body.max_tokens;
  const replyTokens = typeof limit === "number" ? limit : 0;
  if (promptTokens + replyTokens <= contextWindow) return;
  const start = `This model's maximum context length is ${contextWindow} tokens. However, `;
  const rest =
    replyTokens === 0
      ? `your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`
      : `you requested ${promptTokens + replyTokens} tokens (${promptTokens} in the messages, ${replyTokens} in the completion). Please reduce the length of the messages or completion.`;
  yield refuse(start + rest, { parameter: "messages", code: "context_length_exceeded" });
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
