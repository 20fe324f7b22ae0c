import { tryParseJson } from "../../../core/json/parse-json.ts";
import { asArray, asName, asRecord, fieldAt, isRecord, type JsonRecord } from "../../../core/json/read-json.ts";
import type { RelayedReply } from "../../../core/ports/wire-recall.ts";
import { RECALL_TOOL_NAME, UNANSWERED_CALL } from "../../../core/recall/tool-definition.ts";
import { sumUsage } from "../../splice/edit-fields.ts";
import { type RawEvent, writeEvent } from "../../splice/recall/raw-events.ts";
import type { Ending, RelayDescription, StreamReading } from "../../splice/recall/relay-replies.ts";

interface GeminiReply {
  readonly parts: readonly unknown[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  /** Whether the reply calls the recall tool. */
  readonly hasRecallCalls: boolean;
  /** The document, the last entry of a list, or the first event of a stream. */
  readonly envelope: JsonRecord;
  /** Whether the document is a list, which is what Gemini streams without `alt=sse`. */
  readonly isList: boolean;
}

export const geminiRelay: RelayDescription<GeminiReply> = {
  openStream,
  readDocument: (text) => {
    const document = tryParseJson(text);
    const chunks = (Array.isArray(document) ? document : [document]).filter(isRecord);
    return chunks.some((chunk) => chunk.candidates === undefined)
      ? undefined
      : readChunks(chunks, Array.isArray(document));
  },
  writeDocument,
  relayed,
  withoutCalls,
  visible: (replies) => writeContent(shownParts(replies)),
  writeError: (body) => {
    const error = tryParseJson(body);
    return writeEvent("", asRecord(Array.isArray(error) ? error[0] : error) ?? { error: { message: body } });
  },
};

function readChunks(chunks: readonly JsonRecord[], isList: boolean): GeminiReply | undefined {
  const last = chunks.at(-1);
  if (last === undefined) return undefined;
  const reasons = chunks.map((chunk) => fieldAt(chunk, "candidates", 0, "finishReason"));
  const parts = chunks.flatMap(partsIn);
  return {
    parts,
    hasRecallCalls: parts.some(isRecallCall),
    finishReason: reasons.findLast((reason) => typeof reason === "string"),
    usage: chunks.findLast((chunk) => isRecord(chunk.usageMetadata))?.usageMetadata,
    envelope: isList ? last : (chunks[0] ?? last),
    isList,
  };
}

function partsIn(chunk: unknown): readonly unknown[] {
  return asArray(fieldAt(chunk, "candidates", 0, "content", "parts"));
}

function isRecallCall(part: unknown): boolean {
  return fieldAt(part, "functionCall", "name") === RECALL_TOOL_NAME;
}

function isOtherCall(part: unknown): boolean {
  return fieldAt(part, "functionCall") !== undefined && !isRecallCall(part);
}

function shownParts(replies: readonly GeminiReply[]): readonly unknown[] {
  return replies.flatMap(({ parts }) => parts.filter((part) => !isRecallCall(part)));
}

/** Whether a part is an empty text and nothing else: with a signature on it, it must be sent back. */
function isEmptyText(part: unknown): boolean {
  return isRecord(part) && part.text === "" && Object.keys(part).every((name) => name === "text");
}

function writeContent(parts: readonly unknown[]): readonly string[] {
  const kept = parts.filter((part) => !isEmptyText(part));
  return kept.length === 0 ? [] : [JSON.stringify({ role: "model", parts: kept })];
}

function relayed({ parts, finishReason }: GeminiReply): RelayedReply {
  const calls = finishReason === "STOP" ? parts.filter(isRecallCall) : [];
  return {
    calls: calls.map((part) => ({
      id: asName(fieldAt(part, "functionCall", "id")) ?? "",
      input: fieldAt(part, "functionCall", "args"),
    })),
    isOver: calls.length === 0 || parts.some(isOtherCall),
    isWhole: typeof finishReason === "string",
    items: writeContent(parts),
  };
}

const LINE = { text: UNANSWERED_CALL };

function withoutCalls(reply: GeminiReply): GeminiReply {
  return reply.parts.some(isRecallCall) ? { ...reply, parts: [...shownParts([reply]), LINE] } : reply;
}

function usageOf(replies: readonly GeminiReply[]): unknown {
  return replies.reduce<unknown>((sum, { usage }) => sumUsage(sum, usage), undefined);
}

function writeDocument(replies: readonly GeminiReply[], _: Ending): string | undefined {
  const last = replies.at(-1);
  if (last === undefined || (replies.length === 1 && !last.hasRecallCalls)) return undefined;
  const chunk = withParts(last.envelope, shownParts(replies), usageOf(replies));
  return JSON.stringify(last.isList ? [chunk] : chunk);
}

/** The chunk with other parts, and with another usage if it reports one. */
function withParts(chunk: JsonRecord, parts: readonly unknown[], usage: unknown): JsonRecord {
  const [candidate, ...candidates] = asArray(chunk.candidates);
  const fields = asRecord(candidate) ?? {};
  const content = { ...asRecord(fields.content), parts };
  const total = isRecord(chunk.usageMetadata) && usage !== undefined ? { usageMetadata: usage } : {};
  return { ...chunk, candidates: [{ ...fields, content }, ...candidates], ...total };
}

function openStream(earlier: readonly GeminiReply[]): StreamReading<GeminiReply> {
  const usageBefore = usageOf(earlier);
  const responseId = earlier[0]?.envelope.responseId;
  let hasRecallCalls = false;
  /** Whether the reply's calls of the recall tool cannot be answered. */
  let isCut = false;

  function writeChunk(chunk: JsonRecord, parts: readonly unknown[]): string {
    const usage = isRecord(chunk.usageMetadata) ? sumUsage(usageBefore, chunk.usageMetadata) : undefined;
    const id = responseId === undefined ? {} : { responseId };
    return writeEvent("", { ...withParts(chunk, parts, usage), ...id });
  }

  function takeChunk({ raw, data }: RawEvent): string | undefined {
    const chunk = asRecord(tryParseJson(data));
    if (chunk?.candidates === undefined) return raw;
    const parts = partsIn(chunk);
    if (parts.some(isRecallCall)) hasRecallCalls = true;
    if (earlier.length === 0 && !hasRecallCalls) return raw;
    if (typeof fieldAt(chunk, "candidates", 0, "finishReason") === "string") return undefined;
    const shown = parts.filter((part) => !isRecallCall(part));
    return shown.length === 0 ? "" : writeChunk(chunk, shown);
  }

  return {
    take: (event) => {
      const isChanged = earlier.length > 0 || hasRecallCalls;
      return isChanged || event.raw.includes('"functionCall"') ? takeChunk(event) : event.raw;
    },
    read: (events) => {
      if (earlier.length === 0 && !hasRecallCalls) return UNREAD;
      const reply = readChunks(events.map(({ data }) => tryParseJson(data)).filter(isRecord), false) ?? UNREAD;
      isCut = relayed(reply).calls.length === 0;
      return reply;
    },
    writeEnd: (held, ending) => {
      let isLineDue = hasRecallCalls && (isCut || ending === "abandoned");
      return held
        .map((event) => {
          const chunk = asRecord(tryParseJson(event.data));
          if (chunk?.candidates === undefined) return event.raw;
          const shown = partsIn(chunk).filter((part) => !isRecallCall(part));
          const parts = isLineDue ? [...shown, LINE] : shown;
          isLineDue = false;
          return writeChunk(chunk, parts);
        })
        .join("");
    },
  };
}

/** Stands for a stream that was passed on as it came, and that nobody has to parse. */
const UNREAD: GeminiReply = {
  parts: [],
  finishReason: "STOP",
  usage: undefined,
  hasRecallCalls: false,
  envelope: {},
  isList: false,
};
