import { asName, asRecord, asText, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";
import type { OpenAiChatAssistantMessage, OpenAiChatFunctionMessage } from "./types.ts";

/** Whether a message makes or answers a call of the oldest form, `function_call`. Such calls have no ids to pair them: the whole message is one block. */
export function isLegacy({ role, function_call: call }: JsonRecord): boolean {
  return role === "function" || (role === "assistant" && asRecord(call) !== undefined);
}

/** The message that `wholeMessage` wrapped, if it is a reply with a call of the oldest form; else undefined. */
export function writeLegacyReply(block: Block): OpenAiChatAssistantMessage | undefined {
  const message = messageOf(block);
  const call = asRecord(message?.function_call);
  const name = asName(call?.name);
  if (message?.role !== "assistant" || name === undefined) return undefined;
  const content = asText(message.content) ?? null;
  return { role: "assistant", content, function_call: { name, arguments: asText(call?.arguments) ?? "{}" } };
}

/** The message that `wholeMessage` wrapped, if it answers a call of the oldest form; else undefined. */
export function writeLegacyResult(block: Block): OpenAiChatFunctionMessage | undefined {
  const message = messageOf(block);
  const name = asName(message?.name);
  if (message?.role !== "function" || name === undefined) return undefined;
  return { role: "function", name, content: asText(message.content) ?? null };
}

function messageOf(block: Block): JsonRecord | undefined {
  return block.type === "message" && "message" in block ? asRecord(block.message) : undefined;
}
