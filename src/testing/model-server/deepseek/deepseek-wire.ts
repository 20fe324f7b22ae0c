import type { Answer } from "../answer.ts";
import { isJsonObject, type JsonObject, objectsOf, stringOf } from "../json.ts";
import { renderFailure, renderReply, renderStream } from "../openai/render-reply.ts";
import { windowFaults } from "../openai/validate.ts";
import { messageFaults, pairFaults } from "../openai/validate-messages.ts";
import {
  bearerOf,
  COMMENT,
  isKnownModel,
  type Refusal,
  refuse,
  type WireProtocol,
  type WireRequest,
} from "../wire-protocol.ts";

const ROLES: readonly string[] = ["system", "user", "assistant", "tool"];

function* findFaults(request: WireRequest): Generator<Refusal> {
  const { body } = request;
  if (request.modelId === "")
    yield refuse("Failed to deserialize the JSON body into the target type: missing field `model`");
  if (!isKnownModel(request, /^deepseek-/)) yield refuse("Model Not Exist");
  yield* messageFaults(body.messages, unknownRole);
  const messages = objectsOf(body.messages);
  yield* pairFaults(messages);
  if (isThinking(request)) yield* reasoningFaults(messages);
  yield* endFaults(messages);
  yield* windowFaults(request);
}

function unknownRole(role: unknown, place: string): Refusal | undefined {
  if (typeof role === "string" && ROLES.includes(role)) return undefined;
  const expected = ROLES.map((known) => `\`${known}\``).join(", ");
  return refuse(
    `Failed to deserialize the JSON body into the target type: ${place}.role: unknown variant \`${String(role)}\`, expected one of ${expected}`,
  );
}

/** In thinking mode, every turn with calls must be sent back with its reasoning, which may be empty. */
function* reasoningFaults(messages: readonly JsonObject[]): Generator<Refusal> {
  for (const [index, message] of messages.entries()) {
    if (objectsOf(message.tool_calls).length === 0 || typeof message.reasoning_content === "string") continue;
    yield refuse(`Missing \`reasoning_content\` field in the assistant message at message index ${index}.`);
  }
}

/** The model continues an assistant message only where it is marked as a prefix. */
function* endFaults(messages: readonly JsonObject[]): Generator<Refusal> {
  const last = messages.at(-1);
  if (last?.role === "user" || last?.role === "tool" || last?.prefix === true) return;
  yield refuse("The last message must be from the user or a tool, or an assistant message with `prefix` set to true.");
}

/** DeepSeek reports hits and misses of its cache, but no writes: these count as misses. */
function renderUsage({ usage }: Answer): JsonObject {
  const missTokens = usage.inputTokens + usage.cacheWriteTokens;
  const promptTokens = missTokens + usage.cacheReadTokens;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: promptTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    prompt_cache_hit_tokens: usage.cacheReadTokens,
    prompt_cache_miss_tokens: missTokens,
  };
}

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "unknown_error",
  429: "rate_limit_error",
  500: "server_error",
  503: "service_unavailable_error",
};

function renderError({ status, message, type }: Refusal): JsonObject {
  const code = status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type: type ?? TYPES[status] ?? code, param: null, code } };
}

const PATH = /^\/deepseek(?:\/v1|\/beta)?\/chat\/completions$/;

/** DeepSeek's Chat Completions: replies have reasoning, which must be sent back. */
export const deepseekWire: WireProtocol = {
  wire: "deepseek",
  readTarget({ pathname }, body) {
    if (!PATH.test(pathname)) return undefined;
    const isStreaming = body.stream === true;
    return { operation: "generate", modelId: stringOf(body.model), isStreaming, framing: "events" };
  },
  readKey: ({ headers }) => bearerOf(headers),
  findFaults,
  wrongKey: refuse("Authentication Fails, Your api key is invalid", { status: 401, type: "authentication_error" }),
  brokenJson: refuse("Failed to parse the request body as JSON"),
  renderError,
  renderFailure: (refusal) => renderFailure(renderError(refusal)),
  renderSignOfLife: () => COMMENT,
  renderReply: (answer, request) => renderReply(withReasoning(answer, request), request, renderUsage),
  renderStream: (answer, request) => renderStream(withReasoning(answer, request), request, renderUsage),
  renderCount: (tokens) => ({ tokens }),
};

/** Models that are in thinking mode by default. */
const THINKING_MODELS = /^deepseek-(?:reasoner|v4)/;

/**
 * Whether this request is in thinking mode: by its field `thinking`; else by the model, or because the history has
 * reasoning already.
 */
function isThinking({ body, modelId }: WireRequest): boolean {
  const said = isJsonObject(body.thinking) ? body.thinking.type : undefined;
  if (said === "enabled" || said === "disabled") return said === "enabled";
  return (
    THINKING_MODELS.test(modelId) ||
    objectsOf(body.messages).some(
      ({ reasoning_content: reasoning }) => typeof reasoning === "string" && reasoning !== "",
    )
  );
}

/** Adds reasoning to calls in thinking mode, because a client could not send them back without. */
function withReasoning(answer: Answer, request: WireRequest): Answer {
  if (answer.reasoning !== undefined || answer.calls.length === 0 || !isThinking(request)) return answer;
  return { ...answer, reasoning: "A tool is needed." };
}
