import { asArray, asName, asNumber, asText, fieldAt } from "../../core/json/read-json.ts";
import type { OnlyTool } from "../../core/ports/wire-adapter.ts";
import type { Conversation, DescribedRequest } from "../splice/index.ts";
import type { ResponsesReading } from "./group-items.ts";

/** What a request says beside its conversation. */
export function describeRequest(conversation: Conversation<ResponsesReading>): DescribedRequest {
  const { fields, addedTools } = conversation;
  const tools = [...asArray(fields.tools), ...addedTools];
  return {
    modelId: asName(fields.model) ?? "",
    isStreaming: fields.stream === true,
    maxOutputTokens: asNumber(fields.max_output_tokens),
    systemPrompt: systemPromptOf(conversation),
    tools,
    onlyTool: onlyToolOf(tools, fields.tool_choice),
    agentSession: asName(fields.prompt_cache_key),
  };
}

function onlyToolOf([tool, ...others]: readonly unknown[], choice: unknown): OnlyTool | undefined {
  const name = asName(fieldAt(tool, "name"));
  if (name === undefined || others.length > 0) return undefined;
  const type = fieldAt(choice, "type");
  return { name, isForced: choice === "required" || type === "function" || type === "custom" };
}

function systemPromptOf({ fields, read, items, headCount }: Conversation<ResponsesReading>): string {
  const head = read.slice(0, headCount).flatMap((item, index) => {
    if (item.type === "system") return [item.text];
    return item.type === "unknown" ? [JSON.stringify(items[index])] : [];
  });
  return [asText(fields.instructions) ?? "", ...head].filter((text) => text !== "").join("\n\n");
}
