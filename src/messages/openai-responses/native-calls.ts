import { asName, asRecord, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block, Message, ToolResultBlock, ToolUseBlock } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { readItem } from "./read-item.ts";
import type { OpenAiCarriedItem, OpenAiNativeOutput } from "./types.ts";
import { MAX_CALL_ID_LENGTH } from "./write-call.ts";

/** A call of a built-in tool and its output, as items of their own types. */
export interface NativePair {
  readonly call: OpenAiCarriedItem;
  readonly output: OpenAiCarriedItem | OpenAiNativeOutput;
}

/**
 * The calls of built-in tools that can be sent back as they came, with their outputs, by call id. Both must be unchanged: if one was folded or is
 * missing, the pair has to be written as a call of a function.
 */
export function findNativePairs(messages: readonly Message[]): ReadonlyMap<string, NativePair> {
  const blocks = messages.flatMap(({ content }) => contentBlocks(content));
  const natives = blocks.filter(isToolUse).filter((block) => asRecord(fieldAt(block, "item")) !== undefined);
  if (natives.length === 0) return new Map();
  const results = new Map(blocks.filter(isToolResult).map((block) => [block.tool_use_id, block]));
  return new Map(
    natives.flatMap((block) => {
      const pair = nativePair(block, results.get(block.id));
      return pair === undefined ? [] : [[block.id, pair] as const];
    }),
  );
}

function nativePair(block: ToolUseBlock, result: ToolResultBlock | undefined): NativePair | undefined {
  const call = intactItem(block, "input");
  const answer = result === undefined ? undefined : intactItem(result, "content");
  const id = asName(call?.id);
  if (call === undefined || answer === undefined || id === undefined) return undefined;
  if (answer.type !== `${String(call.type)}_output` || block.id.length > MAX_CALL_ID_LENGTH) return undefined;
  const output = writeOutputItem(answer);
  return output === undefined ? undefined : { call: { ...call, id }, output };
}

/** The item that a block was read from; undefined if the block's input or content differs from it now. */
function intactItem(block: Block, field: "input" | "content"): JsonRecord | undefined {
  const item = asRecord(fieldAt(block, "item"));
  if (item === undefined) return undefined;
  const read = readItem(item, "item");
  const original = read.type === "result" ? read.block : read.content[0];
  const isSame = serialize(fieldAt(original, field)) === serialize(fieldAt(block, field));
  return isSame ? item : undefined;
}

/** The output as an item; undefined if it has neither an id nor all the fields that the API demands. Clients make outputs mostly without ids. */
function writeOutputItem(item: JsonRecord): NativePair["output"] | undefined {
  const id = asName(item.id);
  if (id !== undefined) return { ...item, id };
  return isNativeOutput(item) ? item : undefined;
}

function isNativeOutput(item: unknown): item is OpenAiNativeOutput {
  if (!isRecord(item) || typeof item.call_id !== "string") return false;
  switch (item.type) {
    case "shell_call_output":
      return Array.isArray(item.output) && item.output.every(isShellOutput);
    case "apply_patch_call_output":
      return item.status === "completed" || item.status === "failed";
    case "computer_call_output":
      return fieldAt(item, "output", "type") === "computer_screenshot";
    default:
      return false;
  }
}

function isShellOutput(value: unknown): boolean {
  const { stdout, stderr, outcome } = asRecord(value) ?? {};
  const end = asRecord(outcome);
  const isOutcome = end?.type === "timeout" || (end?.type === "exit" && typeof end.exit_code === "number");
  return typeof stdout === "string" && typeof stderr === "string" && isOutcome;
}
