import { sliceFields } from "../../../core/json/json-slices.ts";
import { asNumber, fieldAt } from "../../../core/json/read-json.ts";
import { RECALL_TOOL_NAME, RECALL_TOOL_SHAPES, UNANSWERED_CALL } from "../../../core/recall/tool-definition.ts";
import { endOfList, fieldsOf, rememberInsertions, setField } from "../../splice/edit-fields.ts";
import { relayReplies } from "../../splice/recall/relay-replies.ts";
import type { RecallDescription } from "../../splice/wire-description.ts";
import { chatRelay } from "./relay.ts";

const DEFINITION = JSON.stringify(RECALL_TOOL_SHAPES["openai-chat"]());

const addToTools = rememberInsertions((body) => {
  const tools = sliceFields(body)?.get("tools");
  return tools && endOfList(body, tools, DEFINITION);
});

/** The recall tool on Chat Completions. */
export const chatRecall: RecallDescription = {
  offer: (body, { raw, tools }) => {
    const fields = fieldsOf(raw);
    // Several replies cannot be continued as one, and functions came before tools: a request has one or the other.
    if ((asNumber(fields.n) ?? 1) > 1 || fields.functions !== undefined) return undefined;
    if (tools.some((tool) => fieldAt(tool, "function", "name") === RECALL_TOOL_NAME)) return undefined;
    return tools.length === 0 ? setField(body, "tools", `[${DEFINITION}]`) : addToTools(body);
  },
  definition: RECALL_TOOL_SHAPES["openai-chat"](),
  forbidCalls: (body) => setField(body, "tool_choice", '"none"'),
  results: (results) =>
    results.map(({ id, text }) => JSON.stringify({ role: "tool", tool_call_id: id, content: text })),
  unansweredLine: JSON.stringify({ role: "assistant", content: UNANSWERED_CALL }),
  isReply: (item) => fieldAt(item, "role") === "assistant",
  relay: () => relayReplies(chatRelay),
};
