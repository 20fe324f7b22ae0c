import { asName, fieldAt } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock } from "../../core/message/message.ts";

const ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** How the ids of items begin: the API refuses other ones, which other servers of this API make. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  function_call_output: "fc",
  custom_tool_call: "ctc",
};

/** The id of the item that the block was read from; undefined if it has none, or one that the API refuses. */
export function itemIdOf(block: Block): string | undefined {
  const isWhole = !isKnownBlock(block) || block.type === "reasoning";
  const id = asName(fieldAt(block, isWhole ? "id" : "item_id"));
  const prefix = PREFIXES[itemTypeOf(block)] ?? "";
  return id !== undefined && ID.test(id) && id.startsWith(prefix) ? id : undefined;
}

function itemTypeOf(block: Block): string {
  if (!isKnownBlock(block)) return block.type;
  const given = asName(fieldAt(block, "item_type"));
  switch (block.type) {
    case "text":
      return "message";
    case "tool_use":
      return given ?? "function_call";
    case "tool_result":
      return given ?? "function_call_output";
    case "image":
    case "reasoning":
      return block.type;
  }
}
