import { type Block, isKnownBlock } from "../message/message.ts";
import { contentBlocks } from "../message/tool-pairs.ts";

/** Blocks that give the model a tool or a file: it has them only as long as it sees them. */
const DECLARING_TYPES: ReadonlySet<string> = new Set([
  ...["tool_reference", "tool_search_tool_result", "tool_addition", "tool_removal", "tool_definition"],
  ...["container_upload", "mcp_list_tools", "additional_tools", "tool_search_output"],
]);

/** Whether a block declares something, or holds what does. */
export function isDeclaration(block: Block): boolean {
  if (DECLARING_TYPES.has(block.type) || namesFile(block)) return true;
  if (!isKnownBlock(block) || block.type !== "tool_result" || typeof block.content === "string") return false;
  return contentBlocks(block.content ?? "").some(isDeclaration);
}

/** A picture or a document that the provider keeps under an id. */
function namesFile(block: Block): boolean {
  if ("file_id" in block && typeof block.file_id === "string") return true;
  const source = "source" in block ? block.source : undefined;
  return typeof source === "object" && source !== null && "file_id" in source;
}
