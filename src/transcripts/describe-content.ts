import { tryParseJson } from "../core/json/parse-json.ts";
import { asRecord, asText, fieldAt, isRecord, type JsonRecord } from "../core/json/read-json.ts";
import { CLOSE_LIST, CLOSE_OBJECT, endOfString, OPEN_LIST, OPEN_OBJECT, QUOTE } from "../core/json/scan-json.ts";
import { createJsonDocumentReader } from "../core/transcript/read-json-document.ts";

const MAX_CHARACTERS = 2 ** 20;
const MAX_NAMED_FIELDS = 6;
const LONGEST_FIELD = 40;

/** Describes content of no known format for an error message, as the end of a sentence. */
export function describeContent(head: string): string {
  const text = head.slice(0, MAX_CHARACTERS).trimStart();
  if (!/^[{[]/.test(text)) return describeText(text);
  const value = firstValue(text);
  if (value === undefined) return "it begins like JSON, but breaks off or is broken before its first value ends";
  const record = Array.isArray(value) ? value.find(isRecord) : asRecord(value);
  const what = record === undefined ? "it is a list without messages" : describeRecord(record);
  return head.length <= MAX_CHARACTERS && isCutOff(text) ? `${what}, and it breaks off before its end` : what;
}

/** Whether a list or an object is still open where the text ends. */
function isCutOff(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) open += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) open -= 1;
  }
  return open > 0;
}

function describeText(text: string): string {
  if (text.includes("\0")) return "it is binary, not JSON";
  // aider writes the person's lines as headings of the fourth level, and its own as quotes.
  if (/^#### \S/m.test(text) && /^> \S/m.test(text) && /\baider\b/i.test(text)) {
    return "it is a chat history of aider, Markdown without calls, which is not read";
  }
  return "it is text, not JSON";
}

/** The value of the first line, or else of the document as far as it is complete. */
function firstValue(text: string): unknown {
  const end = text.indexOf("\n");
  const line = tryParseJson(end < 0 ? text : text.slice(0, end));
  if (line !== undefined) return line;
  const reader = createJsonDocumentReader();
  reader.push(text);
  return reader.peek();
}

interface OtherContent {
  readonly what: string;
  matches(record: JsonRecord): boolean;
}

/** Files that are often found beside sessions but are none, the narrower tests first. */
const OTHER_CONTENTS: readonly OtherContent[] = [
  {
    what: "it is a trace of OpenTelemetry: spans of a program, which repeat parts of several conversations",
    matches: ({ spans, resourceSpans }) => Array.isArray(spans) || Array.isArray(resourceSpans),
  },
  {
    what: "these are remarks about a trace, not the conversation",
    matches: ({ trace_id, errors }) => asText(trace_id) !== undefined && Array.isArray(errors),
  },
  {
    what: "these are questions of a benchmark, without an agent's replies",
    matches: ({ question, questions }) => question !== undefined || Array.isArray(questions),
  },
  { what: "these are answers of a benchmark, not conversations", matches: (record) => "ground_truth" in record },
  {
    what: "these are definitions of tools, not conversations",
    matches: (record) =>
      asText(record.name) !== undefined &&
      [record.parameters, record.input_schema, fieldAt(record, "function", "parameters")].some(isRecord),
  },
];

function describeRecord(record: JsonRecord): string {
  const other = OTHER_CONTENTS.find(({ matches }) => matches(record));
  if (other !== undefined) return other.what;
  const names = Object.keys(record);
  if (names.length === 0) return "it is an object without fields";
  const shown = names.slice(0, MAX_NAMED_FIELDS).map((name) => name.slice(0, LONGEST_FIELD));
  const list = [...shown, ...(names.length > shown.length ? ["…"] : [])].join(", ");
  return `it is JSON without messages that have a role and content (its first fields: ${list})`;
}
