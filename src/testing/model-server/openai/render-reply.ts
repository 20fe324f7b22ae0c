import { type Answer, argumentsOf } from "../answer.ts";
import type { JsonObject } from "../json.ts";
import type { WireRequest } from "../wire-protocol.ts";

// a constant: the same script gives the same bytes in every run
const CREATED_SECONDS = 1_700_000_000;

/** How a server of this family reports what was used. */
export type RenderUsage = (answer: Answer) => JsonObject;

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

export function renderEnvelope({ serial }: Answer, { modelId }: WireRequest): JsonObject {
  return { id: `chatcmpl-${String(serial).padStart(6, "0")}`, created: CREATED_SECONDS, model: modelId };
}

function renderCall(call: Answer["calls"][number]): JsonObject {
  return { id: call.id, type: "function", function: { name: call.name, arguments: argumentsOf(call) } };
}

export function finishReasonOf({ calls }: Answer): "stop" | "tool_calls" {
  return calls.length > 0 ? "tool_calls" : "stop";
}

/** The prompt's total holds the cached tokens, and its details say how many they are. */
export function renderUsage({ usage }: Answer): JsonObject {
  const promptTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: promptTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}
