import { isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";

/** The fields that Anthropic's API knows on the blocks that we know, by our names of both. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "cache_control", "citations"],
  image: ["source", "cache_control", "transformations"],
  tool_use: ["id", "name", "input", "cache_control", "caller", "toolset_name"],
  tool_result: ["tool_use_id", "content", "is_error", "cache_control", "toolset_name"],
  reasoning: ["text", "signature", "redactedData"],
};

/** The fields of a block that this API takes: clients and other wires add more, such as what they parsed of a text. */
export function pickFields(block: Block): JsonRecord {
  const all: JsonRecord = { ...block };
  const names = Object.hasOwn(FIELDS, block.type) ? (FIELDS[block.type] ?? []) : Object.keys(all);
  const isTaken = (name: string) =>
    all[name] !== undefined && (name !== "cache_control" || isRecord(all[name]) || all[name] === null);
  return Object.fromEntries(["type", ...names.filter(isTaken)].map((name) => [name, all[name]]));
}
