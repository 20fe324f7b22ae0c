import { tryParseJson } from "../../core/json/parse-json.ts";
import { asText, fieldAt } from "../../core/json/read-json.ts";
import type { ReasoningBlock, TextBlock, ToolResultBlock, ToolUseBlock } from "../../core/message/message.ts";
import { blockAsText } from "../shared/block-text.ts";
import { blocksOf } from "../shared/join-turns.ts";
import type {
  AiSdkReasoningPart,
  AiSdkTextPart,
  AiSdkToolCallPart,
  AiSdkToolOutput,
  AiSdkToolResultPart,
} from "./ai-sdk-prompt.ts";
import { isJson, writeProviderOptions } from "./seals.ts";

/** Parts that are written alike for the SDK's functions and for its models, in all of its versions. */
export function writeText(block: TextBlock): AiSdkTextPart {
  return { type: "text", text: block.text, ...writeProviderOptions(block) };
}

export function writeThought(block: ReasoningBlock): AiSdkReasoningPart {
  return { type: "reasoning", text: block.text, ...writeProviderOptions(block) };
}

export function writeCall(block: ToolUseBlock): AiSdkToolCallPart {
  const { id, name, input } = block;
  return { type: "tool-call", toolCallId: id, toolName: name, input, ...writeProviderOptions(block) };
}

export function writeResult(block: ToolResultBlock, toolName: string): AiSdkToolResultPart {
  const call = { toolCallId: block.tool_use_id, toolName };
  return { type: "tool-result", ...call, output: writeOutput(block), ...writeProviderOptions(block) };
}

/** What a tool returned as JSON is JSON again, as long as no fold has changed it. */
function writeOutput(block: ToolResultBlock): AiSdkToolOutput {
  const isError = block.is_error === true;
  const value = resultText(block);
  const type = fieldAt(block, "outputType");
  if (type === "json" || type === "error-json") {
    const json = tryParseJson(value);
    if (json !== undefined && isJson(json)) return { type: isError ? "error-json" : "json", value: json };
  }
  return { type: isError ? "error-text" : "text", value };
}

const NO_OUTPUT = "(no output)";

/** Never empty: some servers refuse empty results. */
function resultText({ content = "" }: ToolResultBlock): string {
  const texts = blocksOf({ role: "user", content }).map((block) => asText(blockAsText(block)?.text) ?? "");
  return texts.filter((text) => /\S/.test(text)).join("\n") || NO_OUTPUT;
}
