import { isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type ToolResultBlock, type ToolUseBlock } from "../../core/message/message.ts";
import { isInventedCallId } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { protoField } from "../../core/transcript/gemini-proto-fields.ts";

/** A block of a stand-in as a part. */
export function writePart(block: Block): JsonRecord {
  if (!isKnownBlock(block)) return { text: serialize(block) };
  switch (block.type) {
    case "text":
    case "reasoning":
      return withoutType(block);
    case "tool_use":
      return writeCall(block);
    // No stand-in brings an image, and without the name of its tool a result has no form.
    case "image":
    case "tool_result":
      return { text: serialize(block) };
  }
}

/** Reasoning that no Gemini thought, such as a summary has for other providers' sake: there is no place for it. */
export function isForeignReasoning(block: Block): boolean {
  const part = withoutType(block);
  return block.type === "reasoning" && part.thought !== true && protoField(part, "thoughtSignature") === undefined;
}

/** The arguments of a call as Gemini takes them: an object. */
export function writeArguments(input: unknown): JsonRecord {
  return isRecord(input) ? input : { input };
}

function writeCall({ type: _, id, name, input, ...rest }: ToolUseBlock): JsonRecord {
  const named = isInventedCallId(id) ? { name } : { id, name };
  return { functionCall: { ...named, args: writeArguments(input) }, ...rest };
}

/** A result as Gemini takes it, which wants the name of the tool. */
export function writeResult({ tool_use_id: id, content = "", is_error }: ToolResultBlock, name: string): JsonRecord {
  const text = typeof content === "string" ? content : serialize(content);
  const named = isInventedCallId(id) ? { name } : { id, name };
  return { functionResponse: { ...named, response: is_error === true ? { error: text } : { output: text } } };
}

function withoutType({ type: _, ...rest }: Block): JsonRecord {
  return rest;
}
