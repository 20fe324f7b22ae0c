import { sliceFields } from "../../../core/json/json-slices.ts";
import { tryParseJson } from "../../../core/json/parse-json.ts";
import { asArray, fieldAt } from "../../../core/json/read-json.ts";
import { RECALL_TOOL_NAME, RECALL_TOOL_SHAPES, UNANSWERED_CALL } from "../../../core/recall/tool-definition.ts";
import { sliceBody } from "../../splice/body-slices.ts";
import { endOfList, fieldsOf, rememberInsertions, setField } from "../../splice/edit-fields.ts";
import { relayReplies } from "../../splice/recall/relay-replies.ts";
import type { RecallDescription } from "../../splice/wire-description.ts";
import { responsesRelay } from "./relay.ts";

const DEFINITION = JSON.stringify(RECALL_TOOL_SHAPES["openai-responses"]());

/** The recall tool on the Responses API. */
export const responsesRecall: RecallDescription = {
  offer: (body, { raw, tools }) => {
    const fields = fieldsOf(raw);
    // What runs in the background is fetched later, from the provider itself.
    if (fields.background === true || tools.some(isTaken)) return undefined;
    if (asArray(fields.tools).length > 0) return addToTools(body);
    const added = tools.length === 0 ? undefined : addToItem(body);
    return added ?? setField(body, "tools", `[${DEFINITION}]`);
  },
  definition: RECALL_TOOL_SHAPES["openai-responses"](),
  forbidCalls: (body) => setField(body, "tool_choice", '"none"'),
  results: (results) =>
    results.map(({ id, text }) => JSON.stringify({ type: "function_call_output", call_id: id, output: text })),
  unansweredLine: JSON.stringify({
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text: UNANSWERED_CALL }],
  }),
  isReply: (item) => fieldAt(item, "role") === "assistant" || fieldAt(item, "role") === undefined,
  relay: () => relayReplies(responsesRelay),
};

function isTaken(tool: unknown): boolean {
  return fieldAt(tool, "name") === RECALL_TOOL_NAME;
}

const addToTools = rememberInsertions((body) => {
  const tools = sliceFields(body)?.get("tools");
  return tools && endOfList(body, tools, DEFINITION);
});

/** The newest models declare tools in an item, and have no field for them. The first such item has the agent's tools. */
const addToItem = rememberInsertions((body) => {
  const { items, field, itemText } = sliceBody(body, ["input"]);
  const place = items.findIndex((_, index) => fieldAt(tryParseJson(itemText(index)), "type") === "additional_tools");
  const tools = field(items[place], "tools");
  return tools && endOfList(body, tools, DEFINITION);
});
