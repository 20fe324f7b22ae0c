import { tryParseJson } from "../../../core/json/parse-json.ts";
import { asArray, asNumber, asRecord, fieldAt } from "../../../core/json/read-json.ts";
import { RECALL_TOOL_NAME, RECALL_TOOL_SHAPES } from "../../../core/recall/tool-definition.ts";
import { addToList, setField } from "../../splice/recall/edit-fields.ts";
import type { RecallDescription } from "../../splice/recall/recall-description.ts";
import { relayReplies } from "../../splice/recall/relay-replies.ts";
import { chatRelay } from "./relay.ts";

const DEFINITION = JSON.stringify(RECALL_TOOL_SHAPES["openai-chat"]());

/** The recall tool on Chat Completions. */
export const chatRecall: RecallDescription = {
  offer: (body) => {
    const fields = asRecord(tryParseJson(body)) ?? {};
    // Several replies cannot be continued as one, and functions came before tools: a request has one or the other.
    if ((asNumber(fields.n) ?? 1) > 1 || fields.functions !== undefined) return undefined;
    const isTaken = asArray(fields.tools).some((tool) => fieldAt(tool, "function", "name") === RECALL_TOOL_NAME);
    return isTaken ? undefined : addToList(body, "tools", DEFINITION);
  },
  forbidCalls: (body) => setField(body, "tool_choice", '"none"'),
  results: (results) =>
    results.map(({ id, text }) => JSON.stringify({ role: "tool", tool_call_id: id, content: text })),
  isReply: (item) => fieldAt(item, "role") === "assistant",
  relay: () => relayReplies(chatRelay),
};
