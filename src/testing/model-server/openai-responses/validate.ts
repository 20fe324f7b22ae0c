import { isJsonObject, itemsOf, type JsonObject, unknownKey } from "../json.ts";
import { missing } from "../openai/refusals.ts";
import { isKnownModel, type Refusal, refuse, type WireRequest } from "../wire-protocol.ts";
import { inputItems, isForgedCompaction, isReasoning, typeOf } from "./items.ts";
import { isForgedSeal, leaderOf, mayFollow } from "./output-ids.ts";
import { inputFaults } from "./validate-input.ts";

/** Parameters of Chat Completions that have another name in this API. */
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

/** A prompt must fit the window, unless `truncation: "auto"` lets the provider drop messages. */
function* windowFaults({ body, windowTokens, contextWindow }: WireRequest): Generator<Refusal> {
  if (windowTokens <= contextWindow || body.truncation === "auto") return;
  yield refuse("Your input exceeds the context window of this model. Please adjust your input and try again.", {
    parameter: "input",
    code: "context_length_exceeded",
  });
}

/** Faults of requests that refer to stored responses or items: this server stores none. */
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
    // the provider knows reasoning that is not encrypted only by its id
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

const FIELDS: ReadonlySet<string> = new Set(["type", "compact_threshold"]);
const LEAST_THRESHOLD_TOKENS = 1_000;

/** Faults in a request's context management, cache options and compaction items. */
function* contextFaults(body: JsonObject): Generator<Refusal> {
  yield* managementFaults(body.context_management);
  yield* cacheOptionFaults(body);
  const items = inputItems(body.input);
  for (const [index, item] of items.entries()) {
    const type = typeOf(item);
    if (type === "compaction_trigger" && index < items.length - 1) {
      yield wrong(`input[${index}]`, "a compaction_trigger must be the final input item");
    }
    if (type !== "compaction") continue;
    if (typeof item.encrypted_content !== "string") {
      yield refuse(`Missing required parameter: 'input[${index}].encrypted_content'.`, {
        parameter: `input[${index}].encrypted_content`,
        code: "missing_required_parameter",
      });
    }
    if (isForgedCompaction(item)) {
      yield refuse(`The encrypted content for item ${String(item.id)} could not be verified.`, {
        code: "invalid_encrypted_content",
      });
    }
  }
}

const CACHE_OPTIONS: ReadonlySet<string> = new Set(["comparison_response_id", "mode", "ttl"]);

/** Models before GPT-5.6 do not support these options. */
function* cacheOptionFaults({ model, prompt_cache_options: options }: JsonObject): Generator<Refusal> {
  if (options === undefined || options === null) return;
  const [, major, minor = "0"] = /^gpt-(\d+)(?:\.(\d+))?/.exec(String(model)) ?? [];
  const isOld = major === undefined || Number(major) * 100 + Number(minor) < 506;
  if (!isJsonObject(options) || isOld) {
    yield refuse("Unsupported parameter: 'prompt_cache_options' is not supported with this model.", {
      parameter: "prompt_cache_options",
      code: "unsupported_parameter",
    });
    return;
  }
  const extra = unknownKey(options, CACHE_OPTIONS);
  if (extra !== undefined) {
    const parameter = `prompt_cache_options.${extra}`;
    yield refuse(`Unknown parameter: '${parameter}'.`, { parameter, code: "unknown_parameter" });
  }
}

function* managementFaults(management: unknown): Generator<Refusal> {
  if (management === undefined || management === null) return;
  if (!Array.isArray(management)) yield wrong("context_management", "expected an array");
  for (const [index, entry] of itemsOf(management).entries()) {
    const place = `context_management[${index}]`;
    if (!isJsonObject(entry) || entry.type !== "compaction") {
      yield wrong(`${place}.type`, "expected 'compaction'");
      continue;
    }
    const extra = unknownKey(entry, FIELDS);
    if (extra !== undefined) {
      yield refuse(`Unknown parameter: '${place}.${extra}'.`, { parameter: place, code: "unknown_parameter" });
    }
    const { compact_threshold: threshold } = entry;
    if (threshold === undefined || threshold === null) continue;
    if (typeof threshold !== "number" || threshold < LEAST_THRESHOLD_TOKENS) {
      yield wrong(`${place}.compact_threshold`, `expected an integer of at least ${LEAST_THRESHOLD_TOKENS}`);
    }
  }
}

function wrong(parameter: string, reason: string): Refusal {
  return refuse(`Invalid value: '${parameter}': ${reason}.`, { parameter, code: "invalid_value" });
}
