import { isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";

/** The fields that Anthropic's API takes on each type of block, both by our names. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "cache_control", "citations"],
  image: ["source", "cache_control", "transformations"],
  tool_use: ["id", "name", "input", "cache_control", "caller", "toolset_name"],
  tool_result: ["tool_use_id", "content", "is_error", "cache_control", "toolset_name"],
  reasoning: ["text", "signature", "redactedData"],
};

/** The block's fields that Anthropic's API takes. Clients and other wires add more, such as a text that they parsed. */
export function pickFields(block: Block): JsonRecord {
  const all: JsonRecord = { ...block };
  const names = Object.hasOwn(FIELDS, block.type) ? (FIELDS[block.type] ?? []) : Object.keys(all);
  const isTaken = (name: string) =>
    all[name] !== undefined && (name !== "cache_control" || isRecord(all[name]) || all[name] === null);
  return Object.fromEntries(["type", ...names.filter(isTaken)].map((name) => [name, all[name]]));
}
