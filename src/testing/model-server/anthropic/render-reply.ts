import type { Answer } from "../answer.ts";
import type { JsonObject } from "../json.ts";
import type { WireRequest } from "../wire-protocol.ts";
import { signThinking, thinkingOf } from "./thinking.ts";

export function renderReply(answer: Answer, request: WireRequest): JsonObject {
  return {
    ...renderMessage(answer, request),
    content: renderBlocks(answer, request),
    stop_reason: stopReasonOf(answer),
    usage: renderUsage(answer),
  };
}

/** The message before anything was said: also the start of a stream. */
export function renderMessage({ serial }: Answer, { modelId }: WireRequest): JsonObject {
  return {
    id: `msg_${String(serial).padStart(6, "0")}`,
    type: "message",
    role: "assistant",
    model: modelId,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

/** A block of a reply, whole. */
export type ReplyBlock =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: JsonObject };

export function renderBlocks(answer: Answer, { body }: WireRequest): readonly ReplyBlock[] {
  const thinking = thinkingOf(answer, body);
  const blocks: ReplyBlock[] = [];
  if (thinking !== undefined) blocks.push({ type: "thinking", thinking, signature: signThinking(thinking) });
  if (answer.text !== "") blocks.push({ type: "text", text: answer.text });
  for (const { id, name, input } of answer.calls) blocks.push({ type: "tool_use", id, name, input });
  return blocks;
}

export function stopReasonOf({ calls }: Answer): "end_turn" | "tool_use" {
  return calls.length > 0 ? "tool_use" : "end_turn";
}

export function renderUsage({ usage }: Answer): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    output_tokens: usage.outputTokens,
    service_tier: "standard",
  };
}
