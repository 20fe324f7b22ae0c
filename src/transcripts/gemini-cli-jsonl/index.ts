import { asArray, asName, asText, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { allBlocks } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { assembleTranscript } from "../../core/transcript/assemble-transcript.ts";
import { type GeminiRecord, readGeminiRecord, withoutRepeatedResults } from "../../core/transcript/gemini-records.ts";
import type { LinesFormat, TranscriptProblem, TranscriptReader } from "../../core/transcript/transcript.ts";

/**
 * The Gemini CLI's session files since 2026: a header, then records that are written again whenever they change, patches of the header, rewinds,
 * and whole new histories after a compression. Rewound records are left out; compressed ones are kept.
 */
export const geminiCliJsonlFormat: LinesFormat = {
  type: "lines",
  name: "gemini-cli-jsonl",
  detect: ([header]) =>
    isRecord(header) &&
    asText(header.sessionId) !== undefined &&
    asText(header.projectHash) !== undefined &&
    // With messages in it, it is a document on one line.
    asArray(header.messages).length === 0,
  createReader,
};

function createReader(): TranscriptReader {
  const problems: TranscriptProblem[] = [];
  const addProblem = (where: string, reason: string) => void problems.push({ where, reason });
  const log = createRecordLog(addProblem);
  let header: JsonRecord = {};

  return {
    read(record, line) {
      const where = `line ${line}`;
      if (!isRecord(record)) return addProblem(where, "This is no record.");
      const { $set: patch, $rewindTo: target } = record;
      if (typeof target === "string") return log.rewind(target, where);
      if (asName(record.id) !== undefined) return log.put(record, where);
      const { messages, ...fields } = isRecord(patch) ? patch : record;
      header = { ...header, ...fields };
      if (Array.isArray(messages)) log.replace(messages, where);
    },
    finish() {
      const records = log.records();
      return assembleTranscript(withoutRepeatedResults(records.flatMap(({ entries }) => entries)), {
        format: "gemini-cli-jsonl",
        problems: [...problems, ...records.flatMap((record) => record.problems)],
        sessionId: asName(header.sessionId),
        modelId: records.findLast(({ modelId }) => modelId !== undefined)?.modelId,
        workingDirectory: asName(asArray(header.directories)[0]),
      });
    },
  };
}

/** The records of a session in order, each in its last version. */
interface RecordLog {
  /** Adds a record; one with the id of an earlier record replaces it. */
  put(record: JsonRecord, where: string): void;
  /** Removes the record with this id and all records after it. */
  rewind(id: string, where: string): void;
  /** Handles a whole new history, with which the agent goes on: after an aborted turn, an update, or a compression. */
  replace(records: readonly unknown[], where: string): void;
  records(): readonly GeminiRecord[];
}

interface Item {
  readonly id: string;
  readonly record: GeminiRecord;
}

function createRecordLog(addProblem: (where: string, reason: string) => void): RecordLog {
  const items: Item[] = [];
  const places = new Map<string, number>();
  // For each new id of a record that was kept through a compression, its original id.
  const originals = new Map<string, string>();
  const originalOf = (id: string) => originals.get(id) ?? id;

  const append = (item: Item) => void places.set(item.id, items.push(item) - 1);
  const cut = (length: number, where: string) => {
    const removed = items.splice(length);
    for (const { id } of removed) places.delete(id);
    const messages = removed.filter(isTalk).length;
    if (messages > 0) addProblem(where, `${messages} record(s) were taken back here, and left out.`);
  };
  const put = (value: unknown, where: string) => {
    const id = originalOf(asName(fieldAt(value, "id")) ?? where);
    const item = { id, record: readGeminiRecord(value, where) };
    const place = places.get(id);
    if (place === undefined) append(item);
    else items[place] = item;
  };
  const compress = (values: readonly unknown[], where: string) => {
    const added: Item[] = [];
    const idsByContent = new Map(items.filter(isTalk).map(({ id, record }) => [contentKey(record), id]));
    for (const [index, value] of values.entries()) {
      const record = readGeminiRecord(value, `${where}, message ${index}`);
      const id = asName(fieldAt(value, "id")) ?? `${where}, message ${index}`;
      const original = places.has(originalOf(id)) ? originalOf(id) : idsByContent.get(contentKey(record));
      if (original === undefined) added.push({ id, record });
      else originals.set(id, original);
    }
    // The record right before may be the notice of this compression that the person was shown: it is merged.
    const lastEntry = items.at(-1)?.record.entries[0];
    const notice = lastEntry?.type === "compaction" ? lastEntry : undefined;
    if (notice !== undefined) cut(items.length - 1, where);
    const summary = added[0] === undefined ? undefined : firstText(added[0].record);
    append({
      id: `${where}, compression`,
      record: {
        entries: [{ type: "compaction", ...notice, ...(summary !== undefined && { summary }) }],
        problems: [],
      },
    });
    for (const item of added) append(item);
  };

  return {
    put,
    rewind(id, where) {
      const place = places.get(originalOf(id));
      if (place === undefined) addProblem(where, `Rewinds to ${id}, which is not here: nothing was taken back.`);
      else cut(place, where);
    },
    replace(values, where) {
      const ids = values.map((value) => originalOf(asName(fieldAt(value, "id")) ?? ""));
      const messageIds = items.filter(isTalk).map(({ id }) => id);
      const kept = new Set(ids);
      const isWhole = messageIds.every((id) => kept.has(id));
      // After an aborted turn, the history before the turn is written.
      const isPrefix = ids.length > 0 && ids.every((id, index) => id === messageIds[index]);
      if (isPrefix && !isWhole) cut(places.get(messageIds[ids.length] ?? "") ?? items.length, where);
      else if (isWhole) for (const [index, value] of values.entries()) put(value, `${where}, message ${index}`);
      // An empty history is ignored: an aborted first turn leaves one, and the agent goes on without regard to it.
      else if (ids.length > 0) compress(values, where);
    },
    records: () => items.map(({ record }) => record),
  };
}

/** Whether a record holds a message, and not only a compaction. */
function isTalk({ record }: Item): boolean {
  return record.entries.some(({ type }) => type === "message");
}

function contentKey({ entries }: GeminiRecord): string {
  return serialize(entries.map((entry) => (entry.type === "message" ? allBlocks(entry.message.content) : entry)));
}

function firstText({ entries: [entry] }: GeminiRecord): string | undefined {
  if (entry?.type !== "message") return undefined;
  const { content } = entry.message;
  if (typeof content === "string") return content;
  const [block] = content;
  return block !== undefined && "text" in block && typeof block.text === "string" ? block.text : undefined;
}
