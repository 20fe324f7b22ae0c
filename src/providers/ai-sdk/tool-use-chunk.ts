import type { LanguageModelV4ToolCall } from "@ai-sdk/provider";
import { parseJson } from "../../core/json/parse-json.ts";
import type { ToolUseChunk } from "../../core/ports/model-handler.ts";
import { readSeals } from "./seals.ts";

/** A finished call. `names` tells the tools by the names that were sent. */
export function toolUseChunk(
  { toolCallId, toolName, input, providerMetadata }: LanguageModelV4ToolCall,
  names: ReadonlyMap<string, { readonly name: string }>,
): ToolUseChunk {
  return {
    type: "tool_use",
    id: toolCallId,
    name: names.get(toolName)?.name ?? toolName,
    ...readInput(input),
    ...readSeals(providerMetadata),
  };
}

// Tools without parameters are called with no text at all by some models.
function readInput(text: string): Pick<ToolUseChunk, "input" | "brokenInput"> {
  if (text.trim() === "") return { input: {} };
  try {
    return { input: parseJson(text) };
  } catch {
    return { input: {}, brokenInput: text };
  }
}

/** The last call of a reply that ran into its token limit: without arguments it may have been cut before them. */
export function atTokenLimit(call: ToolUseChunk): ToolUseChunk {
  const { input, brokenInput } = call;
  const isEmpty = typeof input === "object" && input !== null && Object.keys(input).length === 0;
  return isEmpty && brokenInput === undefined ? { ...call, brokenInput: "" } : call;
}
