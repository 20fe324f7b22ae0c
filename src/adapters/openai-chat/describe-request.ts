import { asArray, asName, asNumber, asText, fieldAt } from "../../core/json/read-json.ts";
import type { OnlyTool } from "../../core/ports/wire-adapter.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import type { Conversation, DescribedRequest } from "../splice/index.ts";

/** What a request says beside its conversation. */
export function describeRequest({ fields, items, headCount }: Conversation): DescribedRequest {
  const tools = [...asArray(fields.tools), ...asArray(fields.functions)];
  return {
    modelId: asText(fields.model) ?? "",
    isStreaming: fields.stream === true,
    maxOutputTokens: asNumber(fields.max_completion_tokens) ?? asNumber(fields.max_tokens),
    systemPrompt: items.slice(0, headCount).map(systemText).join("\n\n"),
    tools,
    onlyTool: onlyToolOf(tools, fields.tool_choice),
    agentSession: asName(fields.prompt_cache_key),
  };
}

function onlyToolOf([tool, ...others]: readonly unknown[], choice: unknown): OnlyTool | undefined {
  const name = asName(fieldAt(tool, "function", "name") ?? fieldAt(tool, "name"));
  if (name === undefined || others.length > 0) return undefined;
  return { name, isForced: choice === "required" || fieldAt(choice, "type") === "function" };
}

function systemText(item: unknown): string {
  const content = fieldAt(item, "content");
  if (typeof content === "string") return content;
  return asArray(content)
    .map((part) => asText(fieldAt(part, "text")) ?? serialize(part))
    .join("\n");
}
