import { asArray, asName, asRecord, asText, asTimeMs, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { assembleTranscript } from "../../core/transcript/assemble-transcript.ts";
import type { LinesFormat, TranscriptProblem, TranscriptReader } from "../../core/transcript/transcript.ts";
import { createItemCollector, type ItemSource } from "./collect-items.ts";
import { readItem } from "./read-item.ts";
import { createUsageReader } from "./read-usage.ts";
import { createSessionHeader } from "./session-header.ts";

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

/** Sessions of 2025 begin with a bare header, and their items have no envelope. */
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
    // All other events repeat what the items say.
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
