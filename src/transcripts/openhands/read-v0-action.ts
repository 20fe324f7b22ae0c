import { asName, asRecord, asText, asTokens, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";
import { contentBlocks } from "../../core/message/tool-pairs.ts";
import type { RequestUsage } from "../../core/transcript/assemble-transcript.ts";
import { readOpenAiMessages, readOpenAiUsage } from "../../core/transcript/openai-messages.ts";
import { textBlocks } from "../../core/transcript/transcript-draft.ts";

/** The reply of the model that an action came from. Actions of one reply share it. */
export interface ModelReply {
  readonly responseId: string | undefined;
  readonly blocks: readonly Block[];
  readonly usage: RequestUsage | undefined;
  readonly modelId: string | undefined;
}

/** Undefined where the event keeps no copy of the reply. */
export function readModelReply(metadata: JsonRecord): ModelReply | undefined {
  const response = asRecord(metadata.model_response);
  const message = fieldAt(response, "choices", 0, "message");
  const content = readOpenAiMessages([message], "choices").entries[0]?.message.content;
  if (response === undefined || content === undefined) return undefined;
  return {
    responseId: asName(response.id),
    blocks: typeof content === "string" ? textBlocks(content) : contentBlocks(content),
    usage: readUsage(response.usage),
    modelId: asName(response.model),
  };
}

function readUsage(value: unknown): RequestUsage | undefined {
  const usage = readOpenAiUsage(value);
  if (usage === undefined) return undefined;
  const cacheWriteTokens = Math.min(asTokens(asRecord(value)?.cache_creation_input_tokens), usage.inputTokens);
  return { ...usage, inputTokens: usage.inputTokens - cacheWriteTokens, cacheWriteTokens };
}

/** Fields of an action that are not arguments of its tool. */
const NOT_ARGUMENTS: ReadonlySet<string> = new Set([
  "action",
  "action_risk",
  "args",
  "blocking",
  "cause",
  "confirmation_state",
  "id",
  "is_confirmed",
  "keep_prompt",
  "kernel_init_code",
  "llm_metrics",
  "message",
  "source",
  "thought",
  "timeout",
  "timestamp",
  "tool_call_metadata",
]);

/** An action in the words of a tool call, with the thought before it. */
export function actionBlocks(event: JsonRecord, callId: string): readonly Block[] {
  const args = asRecord(event.args) ?? event;
  const name = asName(fieldAt(event, "tool_call_metadata", "function_name")) ?? asName(event.action) ?? "action";
  const input = Object.fromEntries(Object.entries(args).filter(([key]) => !NOT_ARGUMENTS.has(key)));
  return [...textBlocks(asText(args.thought)), { type: "tool_use", id: callId, name, input }];
}

/** What the agent says when it is done. */
export function finishText(event: JsonRecord): string {
  const args = asRecord(event.args) ?? event;
  const texts = [args.thought, args.final_thought, fieldAt(args, "outputs", "content")].flatMap(
    (text) => asName(text) ?? [],
  );
  return [...new Set(texts)].join("\n\n");
}

/** What the agent's own knowledge base added to the conversation. */
export function recallText(extras: JsonRecord): string {
  const { repo_instructions, additional_agent_instructions, conversation_instructions, microagent_knowledge } = extras;
  const knowledge = Array.isArray(microagent_knowledge) ? microagent_knowledge : [];
  const texts = [repo_instructions, additional_agent_instructions, conversation_instructions];
  return [...texts, ...knowledge.map((item) => fieldAt(item, "content"))]
    .flatMap((text) => asName(text) ?? [])
    .join("\n\n");
}
