import { asArray, asName, asText, fieldAt } from "../../core/json/read-json.ts";
import {
  type Block,
  isKnownBlock,
  type ReasoningBlock,
  type TextBlock,
  type ToolUseBlock,
} from "../../core/message/message.ts";
import { isToolUse } from "../../core/message/tool-pairs.ts";
import { writeCallArguments } from "../../core/transcript/call-arguments.ts";
import { fitCallId } from "../../core/transcript/openai-parts.ts";
import { fitToolName } from "../shared/call-ids.ts";
import { EMPTY_REPLY } from "../shared/end-of-reply.ts";
import { writeLegacyReply } from "./legacy-calls.ts";
import type { OpenAiChatAssistantMessage, OpenAiChatReasoning, OpenAiChatToolCall } from "./types.ts";
import { MAX_CALL_ID_LENGTH, writeText } from "./write-parts.ts";

/** Writes an assistant's message, after the messages with calls of the oldest form that it holds. */
export function writeAssistant(
  blocks: readonly Block[],
  reasoning: OpenAiChatReasoning | undefined,
): readonly OpenAiChatAssistantMessage[] {
  const legacy = blocks.flatMap((block) => writeLegacyReply(block) ?? []);
  const others = blocks.filter((block) => writeLegacyReply(block) === undefined);
  return others.length === 0 ? legacy : [...legacy, writeReply(others, reasoning)];
}

function writeReply(blocks: readonly Block[], reasoning: OpenAiChatReasoning | undefined): OpenAiChatAssistantMessage {
  const texts = blocks.filter(isText);
  const calls = blocks.filter(isToolUse).map(writeCall);
  const audioId = blocks.map(audioIdOf).find((id) => id !== undefined);
  const thoughts = blocks.filter(isReasoning);
  const isEmpty = texts.length + calls.length === 0 && audioId === undefined;
  // The API refuses a message of reasoning alone: the reasoning becomes its text.
  if (isEmpty) return { role: "assistant", content: thoughts.map(({ text }) => text).join("\n\n") || EMPTY_REPLY };
  const name = texts.map((block) => asName(fieldAt(block, "name"))).find((text) => text !== undefined);
  const fields = writeReasoning(thoughts, { reasoning, hasCalls: calls.length > 0 });
  const hasMore = calls.length > 0 || audioId !== undefined || Object.keys(fields).length > 0 || name !== undefined;
  return {
    role: "assistant",
    ...writeTexts(texts, hasMore),
    ...(name !== undefined && { name }),
    ...(audioId !== undefined && { audio: { id: audioId } }),
    ...fields,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** The texts of a reply. A refusal at the end has a field of its own, as the API sends it. `hasMore`: the reply has other fields beside its content. */
function writeTexts(
  texts: readonly TextBlock[],
  hasMore: boolean,
): Pick<OpenAiChatAssistantMessage, "content" | "refusal"> {
  const last = texts.at(-1);
  const isRefused = last !== undefined && isRefusal(last);
  const contentTexts = isRefused ? texts.slice(0, -1) : texts;
  const parts = contentTexts.map((block) =>
    isRefusal(block) ? ({ type: "refusal", refusal: block.text } as const) : writeText(block),
  );
  const [part] = parts;
  const isPlain = parts.length === 1 && part?.type === "text" && part.prompt_cache_breakpoint === undefined;
  const content = parts.length === 0 ? null : isPlain && (hasMore || isRefused) ? part.text : parts;
  return { content, ...(isRefused && { refusal: last.text }) };
}

interface ReplyReasoning {
  readonly reasoning: OpenAiChatReasoning | undefined;
  readonly hasCalls: boolean;
}

/** The reasoning in the field that the server takes. Servers with `reasoning_content` demand the field beside calls, even if it is empty. */
function writeReasoning(
  thoughts: readonly ReasoningBlock[],
  { reasoning, hasCalls }: ReplyReasoning,
): Pick<OpenAiChatAssistantMessage, "reasoning_content" | "reasoning_details"> {
  if (reasoning === undefined) return {};
  if (reasoning === "reasoning_details") {
    const details = thoughts.flatMap((block) => asArray(fieldAt(block, "reasoning_details")));
    return details.length === 0 ? {} : { reasoning_details: details };
  }
  const text = thoughts.map((block) => block.text).join("\n\n");
  return text === "" && !hasCalls ? {} : { reasoning_content: text };
}

function writeCall(block: ToolUseBlock): OpenAiChatToolCall {
  const id = fitCallId(block.id, MAX_CALL_ID_LENGTH);
  const name = fitToolName(block.name, { maxLength: 64 });
  const text = writeCallArguments(block);
  return fieldAt(block, "item_type") === "custom_tool_call"
    ? { id, type: "custom", custom: { name, input: text } }
    : { id, type: "function", function: { name, arguments: text } };
}

/** The id of audio that the model spoke, by which the provider finds it; undefined for other blocks. */
export function audioIdOf(block: Block): string | undefined {
  return block.type === "audio" ? asName(fieldAt(block, "id")) : undefined;
}

function isRefusal(block: TextBlock): boolean {
  return asText(fieldAt(block, "refusal")) !== undefined;
}

function isText(block: Block): block is TextBlock {
  return isKnownBlock(block) && block.type === "text";
}

function isReasoning(block: Block): block is ReasoningBlock {
  return isKnownBlock(block) && block.type === "reasoning";
}
