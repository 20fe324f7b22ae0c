import { countTextTokens } from "../../../core/tokens/o200k/count-text-tokens.ts";
import { type Answer, argumentsOf } from "../answer.ts";
import type { CacheDiagnosis } from "../cache/cache-diagnosis.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { WireRequest } from "../wire-protocol.ts";
import { type CompactionBlock, renderCompaction } from "./compaction-block.ts";
import { signThinking, thinkingOf } from "./thinking.ts";

export function renderReply(answer: Answer, request: WireRequest): JsonObject {
  return {
    ...renderMessage(answer, request),
    content: renderBlocks(answer, request).map(({ block }) => block),
    stop_reason: stopReasonOf(answer, request),
    usage: renderUsage(answer, request),
    ...renderEdits(request),
  };
}

/** The edits that were applied, for requests with context management. */
export function renderEdits({ body, managed }: WireRequest): JsonObject {
  if (!isJsonObject(body.context_management)) return {};
  return { context_management: { applied_edits: managed.appliedEdits } };
}

/** The message without content, as at the start of a stream. */
export function renderMessage({ serial, diagnosis }: Answer, { modelId, body }: WireRequest): JsonObject {
  return {
    id: messageId(serial),
    type: "message",
    role: "assistant",
    model: modelId,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(isJsonObject(body.diagnostics) && { diagnostics: renderDiagnosis(diagnosis) }),
  };
}

export function messageId(serial: number): string {
  return `msg_${String(serial).padStart(6, "0")}`;
}

/** The diagnosis; null where the requests do not differ, or none was to be compared. */
function renderDiagnosis(diagnosis: CacheDiagnosis | undefined): JsonObject | null {
  if (diagnosis === undefined || diagnosis.type === "same") return null;
  if (diagnosis.type === "not-found") return { cache_miss_reason: { type: "previous_message_not_found" } };
  const { part, missedTokens } = diagnosis;
  return { cache_miss_reason: { type: `${part}_changed`, cache_missed_input_tokens: missedTokens } };
}

/** A complete block of a reply. */
export type ReplyBlock =
  | CompactionBlock
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: JsonObject };

/** A block, with the text of its arguments for a stream. */
export interface SpokenBlock {
  readonly block: ReplyBlock;
  readonly inputText: string;
}

export function renderBlocks(answer: Answer, { body, managed }: WireRequest): readonly SpokenBlock[] {
  const compaction = managed.compaction && { block: renderCompaction(managed.compaction, body), inputText: "" };
  if (compaction !== undefined && managed.compaction?.body === undefined) return [compaction];
  const thinking = thinkingOf(answer, body);
  const blocks: SpokenBlock[] = compaction === undefined ? [] : [compaction];
  const add = (block: ReplyBlock, inputText = "") => blocks.push({ block, inputText });
  if (thinking !== undefined) add({ type: "thinking", thinking, signature: signThinking(thinking) });
  if (answer.redactedReasoning !== undefined) add({ type: "redacted_thinking", data: answer.redactedReasoning });
  if (answer.text !== "") add({ type: "text", text: answer.text });
  for (const call of answer.calls) {
    add({ type: "tool_use", id: call.id, name: call.name, input: call.input }, argumentsOf(call));
  }
  return blocks;
}

export function stopReasonOf({ calls }: Answer, { managed }: WireRequest): "end_turn" | "tool_use" | "compaction" {
  if (managed.compaction !== undefined && managed.compaction.body === undefined) return "compaction";
  return calls.length > 0 ? "tool_use" : "end_turn";
}

export function renderUsage({ usage }: Answer, { managed, windowTokens }: WireRequest): JsonObject {
  const message = {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    output_tokens: usage.outputTokens,
  };
  const { compaction } = managed;
  if (compaction === undefined) return { ...message, service_tier: "standard" };
  const none = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
  const made = {
    ...none,
    type: "compaction",
    input_tokens: windowTokens,
    output_tokens: countTextTokens(compaction.summary),
  };
  const said = compaction.body === undefined ? [] : [{ type: "message", ...message }];
  // The tokens of the compaction are reported beside the total, not as a part of it.
  return { ...(compaction.body === undefined ? none : message), service_tier: "standard", iterations: [made, ...said] };
}
