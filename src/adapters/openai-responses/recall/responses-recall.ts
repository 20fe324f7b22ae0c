import { sliceFields } from "../../../core/json/json-slices.ts";
import { tryParseJson } from "../../../core/json/parse-json.ts";
import { asArray, asRecord, fieldAt, type JsonRecord } from "../../../core/json/read-json.ts";
import { RECALL_TOOL_NAME, RECALL_TOOL_SHAPES } from "../../../core/recall/tool-definition.ts";
import { sliceBody } from "../../splice/body-slices.ts";
import { addToList, setField } from "../../splice/recall/edit-fields.ts";
import type { RecallDescription } from "../../splice/recall/recall-description.ts";
import { relayReplies } from "../../splice/recall/relay-replies.ts";
import { responsesRelay } from "./relay.ts";

const DEFINITION = JSON.stringify(RECALL_TOOL_SHAPES["openai-responses"]());

/** The recall tool on the Responses API. */
export const responsesRecall: RecallDescription = {
  offer: (body) => {
    const fields = asRecord(tryParseJson(body)) ?? {};
    // What runs in the background is fetched later, from the provider itself.
    if (fields.background === true || declaredTools(fields).some(isTaken)) return undefined;
    return addToItem(body, fields) ?? addToList(body, "tools", DEFINITION);
  },
  forbidCalls: (body) => setField(body, "tool_choice", '"none"'),
  results: (results) =>
    results.map(({ id, text }) => JSON.stringify({ type: "function_call_output", call_id: id, output: text })),
  isReply: (item) => fieldAt(item, "role") === "assistant" || fieldAt(item, "role") === undefined,
  relay: () => relayReplies(responsesRelay),
};

function declaredTools({ tools, input }: JsonRecord): readonly unknown[] {
  const added = asArray(input).flatMap((item) => (isDeclaration(item) ? asArray(fieldAt(item, "tools")) : []));
  return [...asArray(tools), ...added];
}

function isTaken(tool: unknown): boolean {
  return fieldAt(tool, "name") === RECALL_TOOL_NAME;
}

function isDeclaration(item: unknown): boolean {
  return fieldAt(item, "type") === "additional_tools";
}

/** The newest models declare tools in an item, and have no field for them. */
function addToItem(body: string, { tools, input }: JsonRecord): string | undefined {
  const place = tools === undefined ? asArray(input).findLastIndex(isDeclaration) : -1;
  if (place === -1) return undefined;
  const { items } = sliceBody(body, ["input"]);
  const item = items[place];
  const text = item && body.slice(item.start, item.end);
  if (item === undefined || text === undefined || sliceFields(text) === undefined) return undefined;
  return body.slice(0, item.start) + addToList(text, "tools", DEFINITION) + body.slice(item.end);
}
