import { tryParseJson } from "../../../core/json/parse-json.ts";
import { asArray, asName, asRecord, asText, fieldAt, isRecord, type JsonRecord } from "../../../core/json/read-json.ts";
import type { RelayedReply } from "../../../core/ports/wire-recall.ts";
import { UNANSWERED_CALL } from "../../../core/recall/tool-definition.ts";
import { sumUsage } from "../../splice/edit-fields.ts";
import { type RawEvent, writeEvent } from "../../splice/recall/raw-events.ts";
import type { Ending, RelayDescription, StreamReading } from "../../splice/recall/relay-replies.ts";
import { messageOfDeltas } from "./message-of-deltas.ts";
import { BREAK, createDeltaRewriter, isRecallCall } from "./rewrite-deltas.ts";

interface ChatReply {
  readonly message: JsonRecord;
  readonly finishReason: unknown;
  readonly usage: unknown;
  /** Whether the reply calls the recall tool. */
  readonly hasRecallCalls: boolean;
  /** The document, or the first event of a stream. */
  readonly envelope: JsonRecord;
}

/** Finish reasons of a reply that was cut off: its last call may be incomplete. */
const CUT: ReadonlySet<unknown> = new Set(["length", "content_filter"]);

export const chatRelay: RelayDescription<ChatReply> = {
  openStream,
  readDocument: (text) => {
    const envelope = asRecord(tryParseJson(text));
    const choice = fieldAt(envelope, "choices", 0);
    const message = asRecord(fieldAt(choice, "message"));
    if (envelope === undefined || message === undefined) return undefined;
    const hasRecallCalls = callsIn(message).some(isRecallCall);
    return { message, finishReason: fieldAt(choice, "finish_reason"), usage: envelope.usage, hasRecallCalls, envelope };
  },
  writeDocument,
  relayed,
  withoutCalls,
  visible: (replies) => writeMessage(shownMessage(replies)),
  writeError: (body) => {
    const error = asRecord(tryParseJson(body));
    return writeEvent("", error?.error === undefined ? { error: { message: body } } : error) + DONE;
  },
};

const DONE = "data: [DONE]\n\n";

function relayed({ message, finishReason }: ChatReply): RelayedReply {
  const isWhole = typeof finishReason === "string";
  // A stream that ends without a finish reason broke off: its last call may be incomplete, too.
  const calls = !isWhole || CUT.has(finishReason) ? [] : callsIn(message).filter(isRecallCall);
  const hasOthers = callsIn(message).some((call) => !isRecallCall(call));
  return {
    calls: calls.map(callOf),
    isOver: calls.length === 0 || hasOthers,
    isWhole,
    items: writeMessage(message),
  };
}

function withoutCalls(reply: ChatReply): ChatReply {
  const { message } = reply;
  if (!callsIn(message).some(isRecallCall)) return reply;
  const texts = [asText(message.content) ?? "", UNANSWERED_CALL].filter((text) => text !== "");
  return { ...reply, message: { ...withoutRecall(message), content: texts.join(BREAK) } };
}

function writeMessage(message: JsonRecord): readonly string[] {
  const isEmpty = (asText(message.content) ?? "") === "" && callsIn(message).length === 0 && !message.content;
  return isEmpty ? [] : [JSON.stringify(message)];
}

/** The messages of several replies as one, without calls of the recall tool. */
function shownMessage(replies: readonly ChatReply[]): JsonRecord {
  const last = withoutRecall(replies.at(-1)?.message ?? {});
  const texts = replies.flatMap(({ message }) => (message.content ? [asText(message.content) ?? ""] : []));
  const thoughts = replies.flatMap(({ message }) => asText(message.reasoning_content) ?? []);
  return {
    ...last,
    content: texts.length === 0 ? (last.content ?? null) : texts.join(BREAK),
    ...(thoughts.length === 0 ? {} : { reasoning_content: thoughts.join("") }),
  };
}

function writeDocument(replies: readonly ChatReply[], ending: Ending): string | undefined {
  const last = replies.at(-1);
  if (last === undefined || (replies.length === 1 && !last.hasRecallCalls)) return undefined;
  const [choice, ...choices] = asArray(last.envelope.choices);
  const message = shownMessage(replies);
  const finish = ending === "abandoned" ? { finish_reason: "stop" } : {};
  const usage = replies.reduce<unknown>((sum, reply) => sumUsage(sum, reply.usage), undefined);
  return JSON.stringify({
    ...last.envelope,
    choices: [{ ...asRecord(choice), message, ...finish }, ...choices],
    ...(usage === undefined ? {} : { usage }),
  });
}

function openStream(earlier: readonly ChatReply[]): StreamReading<ChatReply> {
  const id = earlier[0]?.envelope.id;
  const usageBefore = earlier.reduce<unknown>((sum, reply) => sumUsage(sum, reply.usage), undefined);
  const deltas = createDeltaRewriter({
    isContinuation: earlier.length > 0,
    followsText: earlier.some(({ message }) => (asText(message.content) ?? "") !== ""),
  });
  let usage: unknown;
  /** Whether the reply's calls of the recall tool cannot be answered. */
  let isCut = false;

  /** Whether the client gets other bytes than those of the stream. */
  const isChanged = () => earlier.length > 0 || deltas.hasRecallCalls();
  const envelopeOf = (chunk: JsonRecord) => ({ ...chunk, ...(id === undefined ? {} : { id }) });

  /** What the client gets for an event without a choice: an error, usage, some servers' remarks on the prompt, or the end of the stream. */
  function takeNote(raw: string, chunk: JsonRecord | undefined): string | undefined {
    if (!isChanged()) return raw;
    if (chunk === undefined || isRecord(chunk.usage)) return undefined;
    return earlier.length === 0 || chunk.error !== undefined ? raw : "";
  }

  function takeChunk({ raw, data }: RawEvent): string | undefined {
    // A comment, by which servers keep the connection alive: it must not hold back the events that follow.
    if (data === "") return raw;
    const chunk = asRecord(tryParseJson(data));
    const choice = asRecord(fieldAt(chunk, "choices", 0));
    if (choice === undefined) return takeNote(raw, chunk);
    const delta = deltas.rewrite(asRecord(choice.delta) ?? {});
    if (chunk === undefined || !isChanged()) return raw;
    if (typeof choice.finish_reason === "string") return undefined;
    if (Object.keys(delta).length === 0) return "";
    return writeEvent("", { ...envelopeOf(chunk), choices: [{ ...choice, delta }] });
  }

  /** The text that stands in for calls that are left out, as an event before the last one. */
  function writeLine(chunk: JsonRecord, choice: JsonRecord): string {
    const delta = deltas.rewrite({ content: UNANSWERED_CALL });
    return writeEvent("", { ...envelopeOf(chunk), choices: [{ ...choice, delta, finish_reason: null }] });
  }

  function writeLast(chunk: JsonRecord, choice: JsonRecord | undefined, ending: Ending): string {
    const total = isRecord(chunk.usage) ? { usage: sumUsage(usageBefore, usage) } : {};
    if (choice === undefined) return writeEvent("", { ...envelopeOf(chunk), choices: [], ...total });
    const finish = ending === "abandoned" ? { finish_reason: "stop" } : {};
    const delta = deltas.rewrite(asRecord(choice.delta) ?? {});
    return writeEvent("", { ...envelopeOf(chunk), choices: [{ ...choice, delta, ...finish }], ...total });
  }

  return {
    take: (event) => (isChanged() || event.raw.includes('"tool_calls"') ? takeChunk(event) : event.raw),
    read(events) {
      if (!isChanged()) return UNREAD;
      const reply = { ...replyOfEvents(events), hasRecallCalls: deltas.hasRecallCalls() };
      usage = reply.usage;
      isCut = relayed(reply).calls.length === 0;
      if (asText(reply.message.content)) deltas.breakBeforeText();
      return reply;
    },
    writeEnd: (held, ending) => {
      let isLineDue = deltas.hasRecallCalls() && (isCut || ending === "abandoned");
      const written = held.map((event) => {
        const chunk = asRecord(tryParseJson(event.data));
        if (chunk === undefined) return event.raw;
        const choice = asRecord(fieldAt(chunk, "choices", 0));
        const line = isLineDue && choice !== undefined ? writeLine(chunk, choice) : "";
        if (choice !== undefined) isLineDue = false;
        return line + writeLast(chunk, choice, ending);
      });
      return written.join("");
    },
  };
}

/** Parses the reply that a stream holds. */
function replyOfEvents(events: readonly RawEvent[]): Omit<ChatReply, "hasRecallCalls"> {
  const chunks = events.map(({ data }) => tryParseJson(data)).filter(isRecord);
  const choices = chunks.map((chunk) => fieldAt(chunk, "choices", 0));
  const reasons = choices.map((choice) => fieldAt(choice, "finish_reason"));
  return {
    message: messageOfDeltas(choices.map((choice) => fieldAt(choice, "delta"))),
    finishReason: reasons.findLast((reason) => typeof reason === "string"),
    usage: chunks.findLast((chunk) => isRecord(chunk.usage))?.usage,
    envelope: chunks[0] ?? {},
  };
}

/** Stands for a stream that was passed on as it came, and that nobody has to parse. */
const UNREAD: ChatReply = { message: {}, finishReason: "stop", usage: undefined, hasRecallCalls: false, envelope: {} };

function callsIn(message: JsonRecord): readonly unknown[] {
  return asArray(message.tool_calls);
}

function callOf(call: unknown): { readonly id: string; readonly input: unknown } {
  return { id: asName(fieldAt(call, "id")) ?? "", input: fieldAt(call, "function", "arguments") };
}

/** The message without calls of the recall tool. */
function withoutRecall(message: JsonRecord): JsonRecord {
  const { tool_calls: _, ...rest } = message;
  const others = callsIn(message).filter((call) => !isRecallCall(call));
  return others.length === 0 ? rest : { ...rest, tool_calls: others };
}
