import { type Answer, argumentsOf } from "../answer.ts";
import type { JsonObject } from "../json.ts";
import type { WireRequest } from "../wire-protocol.ts";
import { signThinking, thinkingOf } from "./thinking.ts";

export function renderReply(answer: Answer, request: WireRequest): JsonObject {
  return {
    ...renderMessage(answer, request),
    content: renderBlocks(answer, request).map(({ block }) => block),
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
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: JsonObject };

/** A block, and the arguments that a stream sends for it letter by letter. */
export interface SpokenBlock {
  readonly block: ReplyBlock;
  readonly inputText: string;
}

export function renderBlocks(answer: Answer, { body }: WireRequest): readonly SpokenBlock[] {
  const thinking = thinkingOf(answer, body);
  const blocks: SpokenBlock[] = [];
  const add = (block: ReplyBlock, inputText = "") => blocks.push({ block, inputText });
  if (thinking !== undefined) add({ type: "thinking", thinking, signature: signThinking(thinking) });
  if (answer.redactedReasoning !== undefined) add({ type: "redacted_thinking", data: answer.redactedReasoning });
  if (answer.text !== "") add({ type: "text", text: answer.text });
  for (const call of answer.calls) {
    add({ type: "tool_use", id: call.id, name: call.name, input: call.input }, argumentsOf(call));
  }
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
