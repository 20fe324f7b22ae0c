import { isJsonObject, itemsOf, type JsonObject, objectsOf, unknownKey } from "../json.ts";
import { headerOf, isKnownModel, type Refusal, refuse, type WireRequest } from "../wire-protocol.ts";
import { hasThinkingBudget } from "./thinking.ts";
import { blocksOf, TOOL_NAME } from "./validate-blocks.ts";
import { compactionFaults, contextFaults } from "./validate-context.ts";
import { messageFaults, prefillFaults, thinkingFaults, toolFaults } from "./validate-messages.ts";

const FIELDS: ReadonlySet<string> = new Set(
  `cache_control container diagnostics inference_geo max_tokens messages metadata model output_config service_tier speed
  stop_sequences stream system temperature thinking tool_choice tools top_k top_p user_profile_id workspace_id`.split(
    /\s+/,
  ),
);

/** Fields that exist only for requests with an `anthropic-beta` header. */
const BETA_FIELDS: readonly string[] =
  "compaction context_management fallback_credit_token fallbacks mcp_servers output_format thread".split(" ");

const MAX_CACHE_MARKS = 4;

export function* findFaults(request: WireRequest): Generator<Refusal> {
  const { body, headers, windowTokens, contextWindow } = request;
  if (headerOf(headers, "anthropic-version") === "") yield refuse("anthropic-version: header is required");
  const isBeta = headerOf(headers, "anthropic-beta") !== "";
  const extra = unknownKey(body, isBeta ? new Set([...FIELDS, ...BETA_FIELDS]) : FIELDS);
  if (extra !== undefined) yield refuse(`${extra}: Extra inputs are not permitted`);
  yield* contextFaults(body, headerOf(headers, "anthropic-beta"));
  yield* modelFaults(request);
  if (request.operation === "generate") yield* outputFaults(body);
  yield* systemFaults(body.system);
  yield* toolDefinitionFaults(body.tools);
  yield* messageFaults(body.messages);
  const messages = objectsOf(body.messages);
  yield* compactionFaults(messages);
  // The model does not read the messages before a compaction.
  const read = objectsOf(request.managed.body.messages);
  yield* toolFaults(read, itemsOf(body.tools).length > 0);
  if (hasThinkingBudget(body)) yield* thinkingFaults(read);
  // Behind a compaction of the whole conversation nothing is sampled, so its end is no prefill; the token allows one.
  const mayEndAnyhow = isJsonObject(body.compaction) || typeof body.fallback_credit_token === "string";
  if (request.operation === "generate" && !mayEndAnyhow) yield* prefillFaults(read, request.modelId);
  yield* cacheFaults(body, messages);
  if (windowTokens > contextWindow) {
    yield refuse(`prompt is too long: ${windowTokens} tokens > ${contextWindow} maximum`);
  }
}

function* modelFaults(request: WireRequest): Generator<Refusal> {
  if (request.modelId === "") yield refuse("model: Field required");
  if (!isKnownModel(request, /^claude-/)) yield refuse(`model: ${request.modelId}`, { status: 404 });
}

function* outputFaults({ max_tokens: maxTokens, thinking }: JsonObject): Generator<Refusal> {
  if (maxTokens === undefined) yield refuse("max_tokens: Field required");
  if (typeof maxTokens !== "number" || !Number.isInteger(maxTokens)) {
    yield refuse("max_tokens: Input should be a valid integer");
  } else {
    if (maxTokens < 1) yield refuse("max_tokens: Input should be greater than or equal to 1");
    const budget = isJsonObject(thinking) ? thinking.budget_tokens : undefined;
    if (typeof budget === "number" && budget >= maxTokens) {
      yield refuse("`max_tokens` must be greater than `thinking.budget_tokens`");
    }
  }
}

function* systemFaults(system: unknown): Generator<Refusal> {
  if (system === undefined || typeof system === "string") return;
  if (!Array.isArray(system)) yield refuse("system: Input should be a valid list");
  for (const [index, block] of itemsOf(system).entries()) {
    if (!isJsonObject(block) || block.type !== "text") yield refuse(`system.${index}.type: Input should be 'text'`);
    else if (block.text === "") yield refuse("system: text content blocks must be non-empty");
  }
}

function* toolDefinitionFaults(tools: unknown): Generator<Refusal> {
  const names = new Set<unknown>();
  for (const [index, tool] of objectsOf(tools).entries()) {
    if (tool.name === undefined) yield refuse(`tools.${index}.custom.name: Field required`);
    if (names.has(tool.name)) yield refuse("tools: Tool names must be unique.");
    names.add(tool.name);
    const isCustom = tool.type === undefined || tool.type === "custom";
    if (!isCustom) continue;
    if (!TOOL_NAME.test(String(tool.name))) {
      yield refuse(`tools.${index}.custom.name: String should match pattern '${TOOL_NAME.source}'`);
    }
    if (!isJsonObject(tool.input_schema)) yield refuse(`tools.${index}.custom.input_schema: Field required`);
    else if (tool.input_schema.type === undefined) {
      yield refuse(`tools.${index}.custom.input_schema.type: Field required`);
    }
  }
}

function* cacheFaults(body: JsonObject, messages: readonly JsonObject[]): Generator<Refusal> {
  const blocks = messages.flatMap((message) => blocksOf(message)).flatMap((block) => [...innerBlocks(block), block]);
  // In the order in which they are processed; a breakpoint of the whole request is one at its end.
  const markable = [...objectsOf(body.tools), ...objectsOf(body.system), ...blocks, body];
  const marks = markable.flatMap(({ cache_control: mark }) => (isJsonObject(mark) ? [mark] : []));
  if (marks.length > MAX_CACHE_MARKS) {
    yield refuse(`A maximum of ${MAX_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks.length}.`);
  }
  const firstShort = marks.findIndex(({ ttl = "5m" }) => ttl === "5m");
  if (firstShort >= 0 && marks.slice(firstShort).some(({ ttl }) => ttl === "1h")) {
    yield refuse(
      "cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
    );
  }
}

function innerBlocks(block: JsonObject): readonly JsonObject[] {
  return block.type === "tool_result" ? objectsOf(block.content) : [];
}
