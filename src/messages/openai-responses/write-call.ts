import { asName, asRecord, fieldAt } from "../../core/json/read-json.ts";
import type { Block, ToolResultBlock, ToolUseBlock } from "../../core/message/message.ts";
import { writeCallArguments } from "../../core/transcript/call-arguments.ts";
import { fitCallId } from "../../core/transcript/openai-parts.ts";
import { fitToolName } from "../shared/call-ids.ts";
import type {
  OpenAiCaller,
  OpenAiCustomToolCall,
  OpenAiCustomToolCallOutput,
  OpenAiFunctionCall,
  OpenAiFunctionCallOutput,
  OpenAiItemStatus,
} from "./types.ts";
import { writePart } from "./write-parts.ts";

/** OpenAI refuses longer ones, which other servers make. */
export const MAX_CALL_ID_LENGTH = 64;

/** A call; `id` is that of its item, where the API may be told. A call of a built-in tool that cannot go back as it came is one of a function. */
export function writeCall(block: ToolUseBlock, id: string | undefined): OpenAiFunctionCall | OpenAiCustomToolCall {
  const namespace = asName(fieldAt(block, "namespace"));
  const async = fieldAt(block, "async");
  const fields = {
    ...(id !== undefined && { id }),
    call_id: fitCallId(block.id, MAX_CALL_ID_LENGTH),
    name: fitToolName(block.name, { maxLength: 128 }),
    ...(namespace !== undefined && { namespace }),
    ...(typeof async === "boolean" && { async }),
    ...callerOf(block),
  };
  if (isCustom(block)) return { type: "custom_tool_call", ...fields, input: writeCallArguments(block) };
  return { type: "function_call", ...fields, arguments: writeCallArguments(block), ...statusOf(block) };
}

/** The output of a call; an output must be of the same type as its call. */
export function writeOutput(
  block: ToolResultBlock,
  isCustomCall: boolean,
): OpenAiFunctionCallOutput | OpenAiCustomToolCallOutput {
  const { tool_use_id, content = "" } = block;
  const parts = typeof content === "string" ? content : content.flatMap((item) => writePart(item) ?? []);
  // Outputs of built-in tools have ids of another kind.
  const id = fieldAt(block, "item") === undefined ? asName(fieldAt(block, "item_id")) : undefined;
  const fields = {
    ...(id !== undefined && { id }),
    call_id: fitCallId(tool_use_id, MAX_CALL_ID_LENGTH),
    output: parts.length === 0 ? "" : parts,
    ...callerOf(block),
  };
  if (isCustomCall) return { type: "custom_tool_call_output", ...fields };
  return { type: "function_call_output", ...fields, ...statusOf(block) };
}

/** Whether it is a call of a tool that takes text as it is, or the output of one. */
export function isCustom(block: Block): boolean {
  const type = fieldAt(block, "item_type");
  return type === "custom_tool_call" || type === "custom_tool_call_output";
}

export function statusOf(block: Block): { status?: OpenAiItemStatus } {
  const status = fieldAt(block, "status");
  return status === "in_progress" || status === "completed" || status === "incomplete" ? { status } : {};
}

function callerOf(block: Block): { caller?: OpenAiCaller } {
  const caller = asRecord(fieldAt(block, "caller"));
  const caller_id = asName(caller?.caller_id);
  if (caller?.type === "direct") return { caller: { type: "direct" } };
  return caller?.type === "program" && caller_id !== undefined ? { caller: { type: "program", caller_id } } : {};
}
