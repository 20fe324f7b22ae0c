import {
  asArray,
  asName,
  asRecord,
  asText,
  asTimeMs,
  asTokens,
  isRecord,
  type JsonRecord,
} from "../../core/json/read-json.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { assembleTranscript, type RequestUsage } from "../../core/transcript/assemble-transcript.ts";
import type { LinesFormat, TranscriptProblem, TranscriptReader } from "../../core/transcript/transcript.ts";
import type { TranscriptFields } from "../../core/transcript/transcript-draft.ts";
import { createItemCollector, type ItemSource } from "./collect-items.ts";
import { readItem } from "./read-item.ts";

export { writeCodex } from "./write.ts";

const NAME = "codex";

/** Sessions of Codex: `~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl`. */
export const codexFormat: LinesFormat = { type: "lines", name: NAME, detect, createReader };

const LINE_TYPES: ReadonlySet<unknown> = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
]);

function detect(records: readonly unknown[]): boolean {
  return records.some((record) => {
    if (!isRecord(record)) return false;
    return (LINE_TYPES.has(record.type) && isRecord(record.payload)) || isOldHeader(record);
  });
}

/** Whether a record is the header of a session of 2025, which has no envelope; neither have the items of such a session. */
function isOldHeader(record: JsonRecord): boolean {
  return (
    record.type === undefined && asName(record.id) !== undefined && "instructions" in record && "timestamp" in record
  );
}

function createReader(): TranscriptReader {
  const items = createItemCollector();
  const readUsage = createUsageReader();
  const problems: TranscriptProblem[] = [];
  const header = createSessionHeader();
  let lastTotalTokens: number | undefined;

  const readOne = (item: unknown, source: ItemSource, where: string): void => {
    const read = isRecord(item) ? readItem(item) : { type: "broken" as const, reason: "This is no item." };
    if (read.type === "broken") problems.push({ where, reason: read.reason });
    else items.add(read, { ...source, id: asName(asRecord(item)?.id) ?? source.id });
  };
  const readCompaction = (payload: JsonRecord, source: ItemSource, where: string): void => {
    const summary = asName(payload.message);
    const tokensBefore = lastTotalTokens;
    items.addCompaction({ ...(summary && { summary }), ...(tokensBefore && { tokensBefore }) });
    if (!Array.isArray(payload.replacement_history)) {
      if (summary) items.add({ type: "user", blocks: [{ type: "text", text: summary }] }, source);
      return;
    }
    for (const [index, item] of asArray(payload.replacement_history).entries()) {
      readOne(item, { ...source, id: `${source.id}.${index}` }, `${where}, replacement_history[${index}]`);
    }
  };
  const readEvent = (payload: JsonRecord, source: ItemSource): void => {
    const text = asText(payload.message);
    // All other events repeat the content of items.
    if (payload.type === "user_message" && text !== undefined) items.addTyped(text, source);
    if (payload.type !== "token_count") return;
    const reported = readUsage(payload);
    if (reported === undefined) return;
    items.addUsage(reported.usage);
    lastTotalTokens = reported.totalTokens;
  };

  return {
    read(record, line) {
      const where = `line ${line}`;
      if (!isRecord(record)) {
        problems.push({ where, reason: "This is no record." });
        return;
      }
      const source = { id: `line-${line}`, ts: asTimeMs(record.timestamp), messageId: asName(record.message_id) };
      const payload = asRecord(record.payload);
      if (payload === undefined) {
        if (LINE_TYPES.has(record.type)) problems.push({ where, reason: "This line has no payload." });
        else if (isOldHeader(record)) header.readMeta(record);
        else if (record.record_type === undefined) readOne(record, source, where);
        return;
      }
      switch (record.type) {
        case "session_meta":
          return header.readMeta(payload);
        case "turn_context":
          return header.readTurn(payload);
        case "response_item":
          return readOne(payload, source, where);
        case "compacted":
          return readCompaction(payload, source, where);
        case "event_msg":
          return readEvent(payload, source);
      }
    },
    finish: () => assembleTranscript(items.finish(), { format: NAME, problems, ...header.fields() }),
  };
}

/** Collects the session's id, prompt, folder and model from the lines around the conversation. */
interface SessionHeader {
  readMeta(payload: JsonRecord): void;
  readTurn(payload: JsonRecord): void;
  fields(): TranscriptFields;
}

function createSessionHeader(): SessionHeader {
  let [sessionId, systemPrompt, workingDirectory, modelId]: (string | undefined)[] = [];
  return {
    readMeta(payload) {
      // A resumed or forked session has a second such line, with the id of the session that it comes from.
      sessionId ??= asName(payload.id);
      workingDirectory ??= asName(payload.cwd);
      systemPrompt ??= asName(asRecord(payload.base_instructions)?.text) ?? asName(payload.instructions);
    },
    readTurn(payload) {
      modelId = asName(payload.model) ?? modelId;
      workingDirectory ??= asName(payload.cwd);
    },
    fields: () => ({ sessionId, systemPrompt, workingDirectory, modelId }),
  };
}

interface ReportedTokens {
  readonly usage: RequestUsage;
  /** The tokens of prompt and reply of that request. */
  readonly totalTokens: number;
}

/**
 * Returns a function that reads a token count: the usage of a new request; undefined for a count that repeats the last one, or that estimates the
 * size of the context after a compaction.
 */
function createUsageReader(): (payload: JsonRecord) => ReportedTokens | undefined {
  let lastTotals = "";
  return (payload) => {
    const info = asRecord(payload.info);
    const last = asRecord(info?.last_token_usage);
    if (last === undefined) return undefined;
    const totals = serialize(info?.total_token_usage ?? last);
    const cached = asTokens(last.cached_input_tokens);
    const prompt = asTokens(last.input_tokens);
    const outputTokens = asTokens(last.output_tokens);
    if (totals === lastTotals || prompt + outputTokens === 0) return undefined;
    lastTotals = totals;
    return {
      usage: {
        inputTokens: Math.max(0, prompt - cached),
        outputTokens,
        cacheReadTokens: cached,
        cacheWriteTokens: 0,
      },
      totalTokens: prompt + outputTokens,
    };
  };
}
