import { sliceFields } from "../../../core/json/json-slices.ts";
import { tryParseJson } from "../../../core/json/parse-json.ts";
import { asArray, asNumber, asRecord, fieldAt, isRecord, type JsonRecord } from "../../../core/json/read-json.ts";
import type { RecallResult } from "../../../core/ports/wire-recall.ts";
import { RECALL_TOOL_NAME, RECALL_TOOL_SHAPES, UNANSWERED_CALL } from "../../../core/recall/tool-definition.ts";
import { protoEntry, protoField } from "../../../core/transcript/gemini-proto-fields.ts";
import { sliceBody } from "../../splice/body-slices.ts";
import { endOfList, fieldsOf, rememberInsertions, setField } from "../../splice/edit-fields.ts";
import { relayReplies } from "../../splice/recall/relay-replies.ts";
import type { RecallDescription } from "../../splice/wire-description.ts";
import { geminiRelay } from "./relay.ts";

const DEFINITION = JSON.stringify(RECALL_TOOL_SHAPES.gemini());

/** The recall tool on Gemini's API. */
export const geminiRecall: RecallDescription = {
  offer: (body, { raw, tools }) => {
    if (!mayCall(fieldsOf(raw)) || tools.some(isTaken)) return undefined;
    if (tools.length === 0) return setField(body, "tools", `[{"functionDeclarations":[${DEFINITION}]}]`);
    // Most models refuse functions beside tools that Google runs itself.
    return tools.some(hasDeclarations) ? addToTool(body) : undefined;
  },
  definition: RECALL_TOOL_SHAPES.gemini(),
  forbidCalls: (body) => {
    const name = sliceFields(body)?.has("tool_config") === true ? "tool_config" : "toolConfig";
    return setField(body, name, '{"functionCallingConfig":{"mode":"NONE"}}');
  },
  results: (results) => [`{"role":"user","parts":[${results.map(responsePart).join(",")}]}`],
  unansweredLine: JSON.stringify({ role: "model", parts: [{ text: UNANSWERED_CALL }] }),
  isReply: (item) => fieldAt(item, "role") === "model",
  addResults,
  relay: () => relayReplies(geminiRelay),
};

function declarationsOf(tool: unknown): readonly unknown[] {
  return asArray(isRecord(tool) ? protoField(tool, "functionDeclarations") : undefined);
}

function hasDeclarations(tool: unknown): boolean {
  return declarationsOf(tool).length > 0;
}

function isTaken(tool: unknown): boolean {
  return declarationsOf(tool).some((declaration) => fieldAt(declaration, "name") === RECALL_TOOL_NAME);
}

/** Whether the recall tool can be called: not with several candidates, a cached prompt (its tools are cached too) or a reply of JSON. */
function mayCall(fields: JsonRecord): boolean {
  const config = asRecord(protoField(fields, "generationConfig")) ?? {};
  const count = asNumber(config.candidateCount ?? config.candidate_count) ?? 1;
  const isCached = (fields.cachedContent ?? fields.cached_content ?? undefined) !== undefined;
  const isJson = (config.responseMimeType ?? config.response_mime_type) === "application/json";
  return count <= 1 && !isCached && !isJson;
}

/** Adds the definition to the last tool that declares functions. A single tool may stand in place of the list. */
const addToTool = rememberInsertions((body) => {
  const slices = sliceBody(body, ["contents"]);
  const field = slices.field({ start: 0, end: body.length }, "tools");
  const tools = slices.entries(field) ?? (field === undefined ? [] : [field]);
  const tool = tools.findLast(({ start, end }) => hasDeclarations(tryParseJson(body.slice(start, end))));
  const list = tool && protoEntry(slices.fields(tool) ?? new Map(), "functionDeclarations");
  return list && endOfList(body, list, DEFINITION);
});

function responsePart({ id, text }: RecallResult): string {
  const functionResponse = { ...(id === "" ? {} : { id }), name: RECALL_TOOL_NAME, response: { output: text } };
  return JSON.stringify({ functionResponse });
}

/** Puts the results before the item's own parts. Google's servers also take one part without a list. */
function addResults(item: string, results: readonly RecallResult[]): string {
  const parts = sliceFields(item)?.get("parts");
  if (parts === undefined) return item;
  const text = item.slice(parts.start, parts.end);
  const others = text.startsWith("[") ? text.slice(1, -1).trim() : text;
  const all = [...results.map(responsePart), ...(others === "" ? [] : [others])];
  return `${item.slice(0, parts.start)}[${all.join(",")}]${item.slice(parts.end)}`;
}
