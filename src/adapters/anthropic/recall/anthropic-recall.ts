import { sliceFields, sliceItems } from "../../../core/json/json-slices.ts";
import { fieldAt } from "../../../core/json/read-json.ts";
import type { RecallResult } from "../../../core/ports/wire-recall.ts";
import { RECALL_TOOL_NAME, RECALL_TOOL_SHAPES, UNANSWERED_CALL } from "../../../core/recall/tool-definition.ts";
import { endOfList, rememberInsertions, setField } from "../../splice/edit-fields.ts";
import { relayReplies } from "../../splice/recall/relay-replies.ts";
import type { RecallDescription } from "../../splice/wire-description.ts";
import { anthropicRelay } from "./relay.ts";

const DEFINITION = JSON.stringify(RECALL_TOOL_SHAPES.anthropic());

const addToTools = rememberInsertions((body) => {
  const tools = sliceFields(body)?.get("tools");
  return tools && endOfList(body, tools, DEFINITION);
});

/** The recall tool on Anthropic's Messages API. */
export const anthropicRecall: RecallDescription = {
  offer: (body, { tools }) => {
    if (tools.some((tool) => fieldAt(tool, "name") === RECALL_TOOL_NAME)) return undefined;
    return tools.length === 0 ? setField(body, "tools", `[${DEFINITION}]`) : addToTools(body);
  },
  definition: RECALL_TOOL_SHAPES.anthropic(),
  forbidCalls: (body) => setField(body, "tool_choice", '{"type":"none"}'),
  results: (results) => [JSON.stringify({ role: "user", content: results.map(resultBlock) })],
  unansweredLine: JSON.stringify({ role: "assistant", content: [{ type: "text", text: UNANSWERED_CALL }] }),
  isReply: (item) => fieldAt(item, "role") === "assistant",
  addResults,
  relay: () => relayReplies(anthropicRelay),
};

function resultBlock({ id, text }: RecallResult) {
  return { type: "tool_result", tool_use_id: id, content: text };
}

/** Results count only where they come before everything else in their message. */
function addResults(item: string, results: readonly RecallResult[]): string {
  const content = sliceFields(item)?.get("content");
  const blocks = content && sliceItems(item, content.start);
  const first = blocks?.[0];
  if (first === undefined) return item;
  const added = results.map((result) => `${JSON.stringify(resultBlock(result))},`).join("");
  return item.slice(0, first.start) + added + item.slice(first.start);
}
