import { asName, asRecord, fieldAt } from "../../core/json/read-json.ts";
import type { Block, ToolResultBlock, ToolUseBlock } from "../../core/message/message.ts";
import { writeCallArguments } from "../../core/transcript/call-arguments.ts";
import { fitCallId } from "../../core/transcript/openai-parts.ts";
import { fitToolName } from "../shared/call-ids.ts";
import { itemIdOf } from "./item-ids.ts";
import type {
  OpenAiCaller,
  OpenAiCustomToolCall,
  OpenAiCustomToolCallOutput,
  OpenAiFunctionCall,
  OpenAiFunctionCallOutput,
  OpenAiItemStatus,
} from "./types.ts";
import { writePart } from "./write-parts.ts";

/** OpenAI refuses longer ids of calls, which other servers make. */
export const MAX_CALL_ID_LENGTH = 64;

/** Writes a call; `id` is its item's id, if it may be sent. A call of a built-in tool is written as a function's. */
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

/** Writes the output of a call, which must have the type of its call. */
export function writeOutput(
  block: ToolResultBlock,
  isCustomCall: boolean,
): OpenAiFunctionCallOutput | OpenAiCustomToolCallOutput {
  const { tool_use_id, content = "" } = block;
  const parts = typeof content === "string" ? content : content.flatMap((item) => writePart(item) ?? []);
  // The API refuses the id of a built-in tool's output here.
  const id = fieldAt(block, "item") === undefined ? itemIdOf(block) : undefined;
  const fields = {
    ...(id !== undefined && { id }),
    call_id: fitCallId(tool_use_id, MAX_CALL_ID_LENGTH),
    output: parts.length === 0 ? "" : parts,
    ...callerOf(block),
  };
  if (isCustomCall) return { type: "custom_tool_call_output", ...fields };
  return { type: "function_call_output", ...fields, ...statusOf(block) };
}

/** Whether a block is a call of a custom tool, which takes plain text, or the output of one. */
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
