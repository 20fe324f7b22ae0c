import type { JsonObject } from "../json.ts";
import { missing } from "../openai/refusals.ts";
import { isKnownModel, type Refusal, refuse, type WireRequest } from "../wire-protocol.ts";
import { leaderOf, mayFollow } from "./output-ids.ts";
import { inputFaults } from "./validate-input.ts";
import { storageFaults } from "./validate-storage.ts";

/** Names of Chat Completions that have another one here. */
const MOVED: Readonly<Record<string, string>> = {
  messages: "input",
  response_format: "text.format",
  max_tokens: "max_output_tokens",
};

export function* findFaults(request: WireRequest): Generator<Refusal> {
  const { body, modelId } = request;
  if (modelId === "") yield missing("model");
  if (!isKnownModel(request, /./)) {
    yield refuse(`The requested model '${modelId}' does not exist.`, { parameter: "model", code: "model_not_found" });
  }
  yield* parameterFaults(body);
  yield* storageFaults(body);
  yield* inputFaults(body.input, { dialect: "openai", leaderOf, mayFollow });
  if (request.operation === "generate") yield* windowFaults(request);
}

function* parameterFaults(body: JsonObject): Generator<Refusal> {
  for (const [parameter, name] of Object.entries(MOVED)) {
    if (body[parameter] === undefined) continue;
    yield refuse(
      `Unsupported parameter: '${parameter}'. In the Responses API, this parameter has moved to '${name}'.`,
      { parameter, code: "unsupported_parameter" },
    );
  }
}

/** `truncation: "auto"` lets the provider drop what does not fit. */
function* windowFaults({ body, promptTokens, contextWindow }: WireRequest): Generator<Refusal> {
  if (promptTokens <= contextWindow || body.truncation === "auto") return;
  yield refuse("Your input exceeds the context window of this model. Please adjust your input and try again.", {
    parameter: "input",
    code: "context_length_exceeded",
  });
}
