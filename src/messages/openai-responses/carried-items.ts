import { asName, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock } from "../../core/message/message.ts";
import type {
  OpenAiAdditionalTools,
  OpenAiApprovalResponse,
  OpenAiCarriedItem,
  OpenAiCompactionItem,
} from "./types.ts";

/** Items of the API's own that have an id and nothing to do with our pairs; besides, all whose type ends so. */
const CARRIED_TYPES: ReadonlySet<string> = new Set([
  ...["mcp_list_tools", "mcp_approval_request", "program", "program_output", "tool_search_output"],
  ...["additional_tools", "configuration_update", "compaction_trigger"],
]);

type CarriedItem = OpenAiCompactionItem | OpenAiApprovalResponse | OpenAiAdditionalTools | OpenAiCarriedItem;

/** An item of this API that our model does not have, as it came; undefined for blocks of other wires. */
export function writeCarried(block: Block, isStored: boolean): CarriedItem | undefined {
  if (isKnownBlock(block)) return undefined;
  // What replies say of an item besides, and our own mark, the API refuses.
  const { created_by: _, follows: __, ...item }: JsonRecord = { ...block };
  const id = asName(item.id);
  const named = id === undefined ? {} : { id };
  switch (block.type) {
    case "compaction":
      return writeCompaction(item, named);
    case "mcp_approval_response":
      return writeApproval(item, named);
    case "item_reference":
      return isStored && id !== undefined ? { ...item, id } : undefined;
    case "additional_tools":
      if (id === undefined) return isToolList(item.tools) ? writeTools(item.tools) : undefined;
  }
  const isOwn = block.type.endsWith("_call") || CARRIED_TYPES.has(block.type);
  return isOwn && id !== undefined ? { ...item, id } : undefined;
}

/** Anthropic's block of this name has a content that can be read. */
function writeCompaction(
  { encrypted_content, content }: JsonRecord,
  named: { readonly id?: string },
): OpenAiCompactionItem | undefined {
  const isOwn = typeof encrypted_content === "string" && content === undefined;
  return isOwn ? { type: "compaction", ...named, encrypted_content } : undefined;
}

function writeApproval(
  { approval_request_id, approve, reason }: JsonRecord,
  named: { readonly id?: string },
): OpenAiApprovalResponse | undefined {
  if (typeof approval_request_id !== "string" || typeof approve !== "boolean") return undefined;
  const because = typeof reason === "string" ? { reason } : {};
  return { type: "mcp_approval_response", ...named, approval_request_id, approve, ...because };
}

function writeTools(tools: never[]): OpenAiAdditionalTools {
  return { type: "additional_tools", role: "developer", tools };
}

function isToolList(value: unknown): value is never[] {
  return Array.isArray(value) && value.every((tool) => asName(fieldAt(tool, "type")) !== undefined);
}
