import { asName, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock } from "../../core/message/message.ts";
import type {
  OpenAiAdditionalTools,
  OpenAiApprovalResponse,
  OpenAiCarriedItem,
  OpenAiCompactionItem,
} from "./types.ts";

/** Types of items that are sent back unchanged if they have an id; so are all types that end with `_call`. */
const CARRIED_TYPES: ReadonlySet<string> = new Set([
  ...["mcp_list_tools", "mcp_approval_request", "program", "program_output", "tool_search_output"],
  ...["additional_tools", "configuration_update", "compaction_trigger"],
]);

type CarriedItem = OpenAiCompactionItem | OpenAiApprovalResponse | OpenAiAdditionalTools | OpenAiCarriedItem;

/** An item of this API that our model does not know, as it came; undefined for blocks of other wires, and for items that need an id and have none. */
export function writeCarried(block: Block, isStored: boolean): CarriedItem | undefined {
  if (isKnownBlock(block)) return undefined;
  // The API refuses `created_by`, which replies have, and `follows`, which is ours.
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

/** A compaction of this API; undefined for Anthropic's block of the same type, which has a readable content. */
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
