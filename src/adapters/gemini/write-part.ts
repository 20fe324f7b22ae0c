import { isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type ToolResultBlock, type ToolUseBlock } from "../../core/message/message.ts";
import { isInventedCallId } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { protoField } from "../../core/transcript/gemini-proto-fields.ts";

/** Writes a block of a stand-in as a part. */
export function writePart(block: Block): JsonRecord {
  if (!isKnownBlock(block)) return { text: serialize(block) };
  switch (block.type) {
    case "text":
    case "reasoning":
      return withoutType(block);
    case "tool_use":
      return writeCall(block);
    // Stand-ins hold no images; a result without the name of its tool cannot be written as a response.
    case "image":
    case "tool_result":
      return { text: serialize(block) };
  }
}

/** Whether reasoning did not come from Gemini, such as that of a summary, which other providers need: Gemini has no form for it. */
export function isForeignReasoning(block: Block): boolean {
  const part = withoutType(block);
  return block.type === "reasoning" && part.thought !== true && protoField(part, "thoughtSignature") === undefined;
}

/** The arguments of a call as an object, which Gemini demands. */
export function writeArguments(input: unknown): JsonRecord {
  return isRecord(input) ? input : { input };
}

function writeCall({ type: _, id, name, input, ...rest }: ToolUseBlock): JsonRecord {
  const named = isInventedCallId(id) ? { name } : { id, name };
  return { functionCall: { ...named, args: writeArguments(input) }, ...rest };
}

/** Writes a result as a response, for which Gemini demands the name of the tool. */
export function writeResult({ tool_use_id: id, content = "", is_error }: ToolResultBlock, name: string): JsonRecord {
  const text = typeof content === "string" ? content : serialize(content);
  const named = isInventedCallId(id) ? { name } : { id, name };
  return { functionResponse: { ...named, response: is_error === true ? { error: text } : { output: text } } };
}

function withoutType({ type: _, ...rest }: Block): JsonRecord {
  return rest;
}
