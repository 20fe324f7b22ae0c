import type { JsonObject } from "../json.ts";
import { missing } from "../openai/refusals.ts";
import { isKnownModel, type Refusal, refuse, type WireRequest } from "../wire-protocol.ts";
import { inputItems, isReasoning, typeOf } from "./items.ts";
import { isForgedSeal, leaderOf, mayFollow } from "./output-ids.ts";
import { contextFaults } from "./validate-context.ts";
import { inputFaults } from "./validate-input.ts";

/** Names of Chat Completions that have another one here. */
const MOVED: Readonly<Record<string, string>> = {
  messages: "input",
  response_format: "text.format",
  max_tokens: "max_output_tokens",
};

export function* findFaults(request: WireRequest): Generator<Refusal> {
  const { body, modelId, managed } = request;
  if (modelId === "") yield missing("model");
  if (!isKnownModel(request, /./)) {
    yield refuse(`The requested model '${modelId}' does not exist.`, { parameter: "model", code: "model_not_found" });
  }
  yield* parameterFaults(body);
  yield* storageFaults(body);
  yield* contextFaults(body);
  yield* inputFaults(managed.body.input, { dialect: "openai", leaderOf, mayFollow });
  if (request.operation !== "count-tokens") yield* windowFaults(request);
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
function* windowFaults({ body, windowTokens, contextWindow }: WireRequest): Generator<Refusal> {
  if (windowTokens <= contextWindow || body.truncation === "auto") return;
  yield refuse("Your input exceeds the context window of this model. Please adjust your input and try again.", {
    parameter: "input",
    code: "context_length_exceeded",
  });
}

/** Faults of requests that count on what an earlier response left with the provider: this server keeps none. */
function* storageFaults(body: JsonObject): Generator<Refusal> {
  const previous = body.previous_response_id;
  if (typeof previous === "string") {
    yield refuse(`Previous response with id '${previous}' not found.`, {
      parameter: "previous_response_id",
      code: "previous_response_not_found",
    });
  }
  for (const item of inputItems(body.input)) {
    if (typeOf(item) === "item_reference") yield notFound(item, "");
    if (!isReasoning(item)) continue;
    // thoughts that are not sealed are known to the provider only by their id
    if (body.store === false && typeof item.id === "string" && typeof item.encrypted_content !== "string") {
      yield notFound(
        item,
        " Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
      );
    }
    if (isForgedSeal(item)) {
      yield refuse(
        `The encrypted content for item ${String(item.id)} could not be verified. Reason: Encrypted content item_id did not match the target item id.`,
        { code: "invalid_encrypted_content" },
      );
    }
  }
}

function notFound({ id }: JsonObject, advice: string): Refusal {
  return refuse(`Item with id '${String(id)}' not found.${advice}`, { status: 404, parameter: "input" });
}
