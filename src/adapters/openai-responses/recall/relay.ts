import { sliceFields, sliceItems } from "../../../core/json/json-slices.ts";
import { tryParseJson } from "../../../core/json/parse-json.ts";
import { asName, asNumber, asRecord, fieldAt, isRecord, type JsonRecord } from "../../../core/json/read-json.ts";
import type { RelayedReply } from "../../../core/ports/wire-recall.ts";
import { RECALL_TOOL_NAME, UNANSWERED_CALL } from "../../../core/recall/tool-definition.ts";
import { setField, sumUsage } from "../../splice/edit-fields.ts";
import { type RawEvent, writeEvent } from "../../splice/recall/raw-events.ts";
import type { Ending, RelayDescription, StreamReading } from "../../splice/recall/relay-replies.ts";

/** An item of a reply, and its JSON as it is sent back. */
interface OutputItem {
  readonly value: JsonRecord;
  readonly json: string;
}

interface ResponsesReply {
  readonly output: readonly OutputItem[];
  readonly status: unknown;
  readonly usage: unknown;
  readonly id: unknown;
  /** Whether the reply calls the recall tool. */
  readonly hasRecallCalls: boolean;
  /** How many events the client has got in this turn so far: the next sequence number. */
  readonly shownEvents: number;
  /** The document; empty if the reply was streamed. */
  readonly text: string;
}

export const responsesRelay: RelayDescription<ResponsesReply> = {
  openStream,
  readDocument: (text) => {
    const reply = asRecord(tryParseJson(text));
    if (reply === undefined || !Array.isArray(reply.output)) return undefined;
    const output = itemsOfDocument(text);
    const { status, usage, id } = reply;
    return { output, status, usage, id, hasRecallCalls: output.some(isRecallCall), shownEvents: 0, text };
  },
  writeDocument,
  relayed,
  withoutCalls,
  visible: (replies) => shownItems(replies).map(({ json }) => json),
  writeError: (body) => {
    const error = asRecord(fieldAt(tryParseJson(body), "error")) ?? { message: body };
    const { code = null, message = body, param = null } = error;
    return writeEvent("error", { type: "error", code, message, param });
  },
};

function itemsOfDocument(text: string): readonly OutputItem[] {
  const output = sliceFields(text)?.get("output");
  const slices = output === undefined ? [] : (sliceItems(text, output.start) ?? []);
  return slices.flatMap(({ start, end }) => {
    const json = text.slice(start, end);
    const value = tryParseJson(json);
    return isRecord(value) ? [{ value, json }] : [];
  });
}

function isRecallCall({ value }: Pick<OutputItem, "value">): boolean {
  return value.type === "function_call" && value.name === RECALL_TOOL_NAME;
}

function shownItems(replies: readonly ResponsesReply[]): readonly OutputItem[] {
  return replies.flatMap(({ output }) => output.filter((item) => !isRecallCall(item)));
}

/** Calls of tools that the provider runs itself: the agent does not answer them. */
const RUN_BY_PROVIDER: ReadonlySet<unknown> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_call",
]);

function isAgentsCall(item: OutputItem): boolean {
  const { type } = item.value;
  const isCall = typeof type === "string" && (type.endsWith("_call") || type === "mcp_approval_request");
  return isCall && !RUN_BY_PROVIDER.has(type) && !isRecallCall(item);
}

function relayed({ output, status }: ResponsesReply): RelayedReply {
  const calls = status === "completed" ? output.filter(isRecallCall) : [];
  return {
    calls: calls.map(({ value }) => ({ id: asName(value.call_id) ?? "", input: value.arguments })),
    isOver: calls.length === 0 || output.some(isAgentsCall),
    isWhole: status === "completed" || status === "incomplete",
    items: output.map(({ json }) => json),
  };
}

function withoutCalls(reply: ResponsesReply): ResponsesReply {
  const call = reply.output.find(isRecallCall);
  if (call === undefined) return reply;
  return { ...reply, output: [...shownItems([reply]), writtenItem(lineFor(call))] };
}

const NO_TEXT = { type: "output_text", text: "", annotations: [] };
const LINE = { ...NO_TEXT, text: UNANSWERED_CALL };

/** The message that stands in for a call. Each item has an id of its own: this one's is made of the call's. */
function lineFor({ value }: OutputItem): JsonRecord {
  const id = `msg_${(asName(value.id) ?? asName(value.call_id) ?? "").replace(/^fc_/, "")}`;
  return { id, type: "message", status: "completed", role: "assistant", content: [LINE] };
}

function usageOf(replies: readonly ResponsesReply[]): unknown {
  return replies.reduce<unknown>((sum, { usage }) => sumUsage(sum, usage), undefined);
}

function writeDocument(replies: readonly ResponsesReply[], _: Ending): string | undefined {
  const last = replies.at(-1);
  const shown = shownItems(replies);
  if (last === undefined || (replies.length === 1 && !last.hasRecallCalls)) return undefined;
  const text = setField(last.text, "output", `[${shown.map(({ json }) => json).join(",")}]`);
  const usage = usageOf(replies);
  return usage === undefined ? text : setField(text, "usage", JSON.stringify(usage));
}

const ENDS: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete", "response.failed", "error"]);
const BEGINS: ReadonlySet<unknown> = new Set(["response.created", "response.queued", "response.in_progress"]);

function openStream(earlier: readonly ResponsesReply[]): StreamReading<ResponsesReply> {
  const shownBefore = shownItems(earlier);
  /** The output indexes of the calls of the recall tool. */
  const hidden = new Set<number>();
  let shownEvents = earlier.at(-1)?.shownEvents ?? 0;
  let ended: ResponsesReply | undefined;

  function pass(event: RawEvent): string {
    if (!isComment(event)) shownEvents += 1;
    return event.raw;
  }

  function takeChanged(event: RawEvent, value: JsonRecord): string | undefined {
    if (ENDS.has(value.type)) return undefined;
    if (earlier.length > 0 && BEGINS.has(value.type)) return "";
    const index = asNumber(value.output_index);
    if (index !== undefined && hidden.has(index)) return "";
    const shown = index === undefined ? {} : { output_index: shownIndex(index) };
    return writeNumbered(event.name, { ...value, ...shown });
  }

  /** The output index that an item has in what the client gets. */
  function shownIndex(index: number): number {
    return shownBefore.length + index - [...hidden].filter((hiddenIndex) => hiddenIndex < index).length;
  }

  function writeNumbered(name: string, value: JsonRecord): string {
    const sequence = value.sequence_number === undefined ? {} : { sequence_number: shownEvents };
    shownEvents += 1;
    return writeEvent(name, { ...value, ...sequence });
  }

  function writeLast(event: RawEvent): string {
    const value = asRecord(tryParseJson(event.data));
    const response = asRecord(value?.response);
    if (value === undefined || response === undefined || ended === undefined) return pass(event);
    const output = [...shownBefore, ...shownItems([ended])].map((item) => item.value);
    const usage = usageOf([...earlier, ended]);
    // A provider that stores replies can only continue the last one: it keeps its id.
    const id = response.store === false ? (earlier[0]?.id ?? response.id) : response.id;
    return writeNumbered(event.name, { ...value, response: { ...response, id, output, ...(usage ? { usage } : {}) } });
  }

  function writeLine(item: JsonRecord): string {
    const index = shownBefore.length + (ended === undefined ? 0 : shownItems([ended]).length);
    const events = lineEvents(item, index);
    return events.map((event) => writeNumbered(event.type, { ...event, sequence_number: 0 })).join("");
  }

  return {
    take(event) {
      const isChanged = earlier.length > 0 || hidden.size > 0;
      if (!isChanged && !event.raw.includes("response.output_item.added")) return pass(event);
      const value = asRecord(tryParseJson(event.data));
      if (value === undefined) return pass(event);
      const item = asRecord(value.item);
      const isCall = value.type === "response.output_item.added" && item !== undefined && isRecallCall({ value: item });
      if (isCall) hidden.add(asNumber(value.output_index) ?? 0);
      return isChanged || isCall ? takeChanged(event, value) : pass(event);
    },
    read(events) {
      if (earlier.length === 0 && hidden.size === 0) return UNREAD;
      ended = { ...replyOfEvents(events), hasRecallCalls: hidden.size > 0, shownEvents };
      return ended;
    },
    writeEnd: (held, ending) => {
      const call = ended?.output.find(isRecallCall);
      const isCut = ended !== undefined && relayed(ended).calls.length === 0;
      const hasLine = call !== undefined && held.length > 0 && (isCut || ending === "abandoned");
      const line = hasLine ? writeLine(lineFor(call)) : "";
      if (hasLine && ended !== undefined) ended = withoutCalls(ended);
      return line + held.map(writeLast).join("");
    },
  };
}

/** Whether an event is only a comment, by which servers keep the connection alive: it has no sequence number. */
function isComment(event: RawEvent): boolean {
  return event.raw.startsWith(":") && event.data === "";
}

/** Parses the reply that a stream holds. */
function replyOfEvents(events: readonly RawEvent[]): Omit<ResponsesReply, "hasRecallCalls" | "shownEvents"> {
  const values = events.map(({ data }) => tryParseJson(data));
  const done = values.filter((value) => fieldAt(value, "type") === "response.output_item.done");
  const last = values.find((value) => ENDS.has(fieldAt(value, "type")));
  const response = fieldAt(last, "response");
  return {
    output: done.map((value) => asRecord(fieldAt(value, "item")) ?? {}).map(writtenItem),
    status: fieldAt(response, "status"),
    usage: fieldAt(response, "usage"),
    id: values.map((value) => fieldAt(value, "response", "id")).find((id) => id !== undefined),
    text: "",
  };
}

/** The events that stream the message that stands in for a call, as the output item at this index. */
function lineEvents(item: JsonRecord, index: number): readonly (JsonRecord & { readonly type: string })[] {
  const at = { output_index: index };
  const part = { ...at, item_id: item.id, content_index: 0 };
  return [
    { type: "response.output_item.added", ...at, item: { ...item, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...part, part: NO_TEXT },
    { type: "response.output_text.delta", ...part, delta: UNANSWERED_CALL },
    { type: "response.output_text.done", ...part, text: UNANSWERED_CALL },
    { type: "response.content_part.done", ...part, part: LINE },
    { type: "response.output_item.done", ...at, item },
  ];
}

function writtenItem(value: JsonRecord): OutputItem {
  return { value, json: JSON.stringify(value) };
}

/** Stands for a stream that was passed on as it came, and that nobody has to parse. */
const UNREAD: ResponsesReply = {
  output: [],
  status: "completed",
  usage: undefined,
  id: undefined,
  hasRecallCalls: false,
  shownEvents: 0,
  text: "",
};
