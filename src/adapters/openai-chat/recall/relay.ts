import { tryParseJson } from "../../../core/json/parse-json.ts";
import {
  asArray,
  asName,
  asNumber,
  asRecord,
  asText,
  fieldAt,
  isRecord,
  type JsonRecord,
} from "../../../core/json/read-json.ts";
import type { RelayedReply } from "../../../core/ports/wire-recall.ts";
import { RECALL_TOOL_NAME, UNANSWERED_CALL } from "../../../core/recall/tool-definition.ts";
import { sumUsage } from "../../splice/edit-fields.ts";
import { type RawEvent, writeEvent } from "../../splice/recall/raw-events.ts";
import type { Ending, RelayDescription, StreamReading } from "../../splice/recall/relay-replies.ts";

interface ChatReply {
  readonly message: JsonRecord;
  readonly finishReason: unknown;
  readonly usage: unknown;
  /** Whether calls of the recall tool came in it. */
  readonly hasCalled: boolean;
  /** The document, or the first event of a stream. */
  readonly envelope: JsonRecord;
}

/** These reasons say that a reply was cut short: a call in it may be half. */
const CUT: ReadonlySet<unknown> = new Set(["length", "content_filter"]);

export const chatRelay: RelayDescription<ChatReply> = {
  openStream,
  readDocument: (text) => {
    const envelope = asRecord(tryParseJson(text));
    const choice = fieldAt(envelope, "choices", 0);
    const message = asRecord(fieldAt(choice, "message"));
    if (envelope === undefined || message === undefined) return undefined;
    const hasCalled = callsIn(message).some(isRecallCall);
    return { message, finishReason: fieldAt(choice, "finish_reason"), usage: envelope.usage, hasCalled, envelope };
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
/** Between what was said before a call of ours and what was said after it. */
const BREAK = "\n\n";

function relayed({ message, finishReason }: ChatReply): RelayedReply {
  const isWhole = typeof finishReason === "string";
  // A stream that ends without saying why broke off: a call in it may be half, too.
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

/** One message of what several say, without calls of the recall tool. */
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
  if (last === undefined || (replies.length === 1 && !last.hasCalled)) return undefined;
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
  /** Indexes of calls of the recall tool. */
  const hidden = new Set<unknown>();
  let isBreakDue = earlier.some(({ message }) => (asText(message.content) ?? "") !== "");
  let usage: unknown;
  let isCut = false;

  function shownCalls(pieces: unknown): readonly unknown[] {
    return asArray(pieces).flatMap((piece) => {
      const index = asNumber(fieldAt(piece, "index")) ?? 0;
      if (isRecallCall(piece)) hidden.add(index);
      if (hidden.has(index) || !isRecord(piece)) return [];
      return [{ ...piece, index: index - [...hidden].filter((each) => Number(each) < index).length }];
    });
  }

  function shownDelta(delta: JsonRecord): JsonRecord {
    const { role, tool_calls: pieces, content, ...rest } = delta;
    const calls = shownCalls(pieces);
    const text = asText(content) ?? "";
    const isFirst = isBreakDue && text !== "";
    if (isFirst) isBreakDue = false;
    return {
      ...(earlier.length === 0 && role !== undefined ? { role } : {}),
      ...(text === "" && earlier.length > 0
        ? {}
        : content === undefined
          ? {}
          : { content: isFirst ? BREAK + text : content }),
      ...rest,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
  }

  /** What holds no choice: a failure, a report of usage, what some servers say of the prompt, or the end. */
  function takeNote(raw: string, chunk: JsonRecord | undefined): string | undefined {
    if (earlier.length === 0 && hidden.size === 0) return raw;
    if (chunk === undefined || isRecord(chunk.usage)) return undefined;
    return earlier.length === 0 || chunk.error !== undefined ? raw : "";
  }

  function takeChunk({ raw, data }: RawEvent): string | undefined {
    const chunk = asRecord(tryParseJson(data));
    const choice = asRecord(fieldAt(chunk, "choices", 0));
    if (choice === undefined) return takeNote(raw, chunk);
    const delta = shownDelta(asRecord(choice.delta) ?? {});
    if (chunk === undefined || (earlier.length === 0 && hidden.size === 0)) return raw;
    if (typeof choice.finish_reason === "string") return undefined;
    if (Object.keys(delta).length === 0) return "";
    return writeEvent("", { ...chunk, ...(id === undefined ? {} : { id }), choices: [{ ...choice, delta }] });
  }

  return {
    take(event) {
      const isChanged = earlier.length > 0 || hidden.size > 0;
      return isChanged || event.raw.includes('"tool_calls"') ? takeChunk(event) : event.raw;
    },
    read(events) {
      if (earlier.length === 0 && hidden.size === 0) return UNREAD;
      const chunks = events.map(({ data }) => tryParseJson(data)).filter(isRecord);
      usage = chunks.findLast((chunk) => isRecord(chunk.usage))?.usage;
      const choices = chunks.map((chunk) => fieldAt(chunk, "choices", 0));
      const reasons = choices.map((choice) => fieldAt(choice, "finish_reason"));
      const message = messageOfDeltas(choices.map((choice) => fieldAt(choice, "delta")));
      const reply = {
        message,
        finishReason: reasons.findLast((reason) => typeof reason === "string"),
        usage,
        hasCalled: hidden.size > 0,
        envelope: chunks[0] ?? {},
      };
      isCut = relayed(reply).calls.length === 0;
      if (asText(message.content)) isBreakDue = true;
      return reply;
    },
    writeEnd: (held, ending) => {
      let isLineDue = hidden.size > 0 && (isCut || ending === "abandoned");
      return held
        .map((event) => {
          const chunk = asRecord(tryParseJson(event.data));
          if (chunk === undefined) return event.raw;
          const choice = asRecord(fieldAt(chunk, "choices", 0));
          const envelope = { ...chunk, ...(id === undefined ? {} : { id }) };
          const used = isRecord(chunk.usage) ? { usage: sumUsage(usageBefore, usage) } : {};
          if (choice === undefined) return writeEvent("", { ...envelope, choices: [], ...used });
          const finish = ending === "abandoned" ? { finish_reason: "stop" } : {};
          const line = isLineDue
            ? writeEvent("", {
                ...envelope,
                choices: [{ ...choice, delta: shownDelta({ content: UNANSWERED_CALL }), finish_reason: null }],
              })
            : "";
          isLineDue = false;
          const delta = shownDelta(asRecord(choice.delta) ?? {});
          return line + writeEvent("", { ...envelope, choices: [{ ...choice, delta, ...finish }], ...used });
        })
        .join("");
    },
  };
}

/** A stream that was passed on as it came. */
const UNREAD: ChatReply = { message: {}, finishReason: "stop", usage: undefined, hasCalled: false, envelope: {} };

function isRecallCall(call: unknown): boolean {
  return fieldAt(call, "function", "name") === RECALL_TOOL_NAME;
}

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

/** The message that deltas make up: texts and lists grow, of everything else the last counts. */
function messageOfDeltas(deltas: readonly unknown[]): JsonRecord {
  const message: Record<string, unknown> = { role: "assistant", content: null };
  const calls = new Map<number, Record<string, unknown>>();
  for (const delta of deltas) {
    if (!isRecord(delta)) continue;
    for (const [name, value] of Object.entries(delta)) {
      if (name === "tool_calls") for (const piece of asArray(value)) addCallPiece(calls, piece);
      else if (name !== "role" && value !== null) message[name] = grown(message[name], value);
    }
  }
  if (message.content === "") message.content = null;
  const made = [...calls.entries()].toSorted(([one], [other]) => one - other).map(([, call]) => call);
  return made.length === 0 ? message : { ...message, tool_calls: made };
}

function grown(before: unknown, value: unknown): unknown {
  if (typeof before === "string" && typeof value === "string") return before + value;
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value];
  return value;
}

function addCallPiece(calls: Map<number, Record<string, unknown>>, piece: unknown): void {
  const index = asNumber(fieldAt(piece, "index")) ?? 0;
  if (!isRecord(piece)) return;
  const { index: _, function: said, ...fields } = piece;
  const before = calls.get(index) ?? {};
  const known = fieldAt(before, "function");
  const text = `${asText(fieldAt(known, "arguments")) ?? ""}${asText(fieldAt(said, "arguments")) ?? ""}`;
  const name = asName(fieldAt(said, "name")) ?? asName(fieldAt(known, "name"));
  calls.set(index, { ...before, ...given(fields), function: { name, arguments: text } });
}

function given(fields: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ""));
}
