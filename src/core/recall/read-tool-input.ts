import { tryParseJson } from "../json/parse-json.ts";
import { isRecord } from "../json/read-json.ts";

/** What a call of the recall tool asks for. `why` tells the model what is wrong with its arguments. */
export type RecallRequest =
  | { readonly type: "search"; readonly query: string }
  | { readonly type: "read"; readonly id: string; readonly from: string | undefined }
  | { readonly type: "unclear"; readonly why: string };

const FIX = 'Pass { "query": "words to look for" }, or { "id": "the id of a fold or a message" }.';

/** Reads the arguments of a call, as an object or as the JSON text that some APIs give. */
export function readRecallInput(input: unknown): RecallRequest {
  const read = typeof input === "string" ? tryParseJson(input) : input;
  if (!isRecord(read)) return unclear("The arguments are no JSON object.");
  const id = textOf(read.id);
  if (id !== undefined) return { type: "read", id: bareId(id), from: textOf(read.from) };
  const query = textOf(read.query);
  if (query !== undefined) return { type: "search", query };
  return unclear("Neither query nor id is a text.");
}

function unclear(what: string): RecallRequest {
  return { type: "unclear", why: `${what} ${FIX}` };
}

/** An argument as text, also of a list of words; undefined for null and empty texts, which models give for optional arguments. */
function textOf(value: unknown): string | undefined {
  const isList = Array.isArray(value) && value.every((word) => typeof word === "string");
  const text = isList ? value.join(" ") : typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text.trim() !== "" ? text.trim() : undefined;
}

/** An id without the words around it that a model may repeat: "fold clear-1a2b3c]". */
export function bareId(text: string): string {
  return text
    .replace(/^["'`[(]/, "")
    .replace(/^(?:fold|message)\s+/i, "")
    .replace(/["'`\])]$/, "");
}
