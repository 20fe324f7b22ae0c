import { readFileSync } from "node:fs";
import { detectPairs } from "../../src/core/message/tool-pairs.ts";
import { validateView } from "../../src/core/message/validate-view.ts";
import type { LinesFormat, Transcript, TranscriptFormat } from "../../src/core/transcript/transcript.ts";
import { countMessagesTokens, countTextTokens } from "../../src/index.ts";
import { brokenCopies } from "./broken-json.ts";

/** Reads records, or one document, as a format does. */
export function readAs(format: TranscriptFormat, input: unknown): Transcript {
  return format.type === "document" ? format.read(input) : readRecords(format, Array.isArray(input) ? input : [input]);
}

function readRecords(format: LinesFormat, records: readonly unknown[]): Transcript {
  const reader = format.createReader();
  for (const [index, record] of records.entries()) reader.read(record, index + 1);
  return reader.finish();
}

/** The records of a JSONL file. */
export function recordsOf(path: string): readonly unknown[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line): unknown => JSON.parse(line));
}

export function documentOf(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** What was thrown, or would be refused later, for any broken copy of this input; empty if all is well. */
export function faultsOfBroken(format: TranscriptFormat, input: unknown): readonly string[] {
  const faults = new Set<string>();
  for (const broken of brokenCopies(input)) {
    try {
      detects(format, broken);
      const transcript = readAs(format, broken);
      countMessagesTokens(transcript.messages);
      for (const reason of faultsOf(transcript)) faults.add(reason);
    } catch (error) {
      faults.add(String(error));
    }
  }
  return [...faults];
}

/** Whether a format takes these records, or this document, for its own. */
export function detects(format: TranscriptFormat, input: unknown): boolean {
  if (format.type === "document") return format.detect(input);
  return format.detect(Array.isArray(input) ? input : [input]);
}

/** What a transcript must hold whatever it was read from. */
export function faultsOf({ messages, compactions, usages }: Transcript): readonly string[] {
  const ids = messages.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const isIndex = (index: number, end: number) => Number.isInteger(index) && index >= 0 && index < end;
  const counts = usages.flatMap(({ messageIndex: _, ...tokens }) => Object.values(tokens));
  return [
    ...(new Set(ids).size === ids.length ? [] : ["An id is used twice."]),
    ...(usages.every(({ messageIndex }) => messages[messageIndex]?.role === "assistant")
      ? []
      : ["A usage of no reply."]),
    ...(counts.every((count) => Number.isFinite(count) && count >= 0) ? [] : ["A usage that is no count."]),
    ...(compactions.every(({ messageIndex }) => isIndex(messageIndex, messages.length + 1))
      ? []
      : ["A compaction nowhere."]),
  ];
}

/** Numbers to compare a real file by. */
export function measure(transcript: Transcript) {
  const { messages } = transcript;
  const pairs = detectPairs(messages);
  return {
    users: messages.filter(({ role }) => role === "user").length,
    assistants: messages.filter(({ role }) => role === "assistant").length,
    calls: pairs.length,
    openCalls: pairs.filter(({ result }) => result === undefined).length,
    tokens: countMessagesTokens(messages),
    viewProblems: [...new Set(validateView(messages).map(({ code }) => code))],
    faults: faultsOf(transcript),
  };
}

/** Tokens of texts that a test found in a raw file by itself. */
export function countTexts(texts: readonly unknown[]): number {
  const asText = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  return texts.reduce<number>((sum, text) => sum + countTextTokens(asText(text)), 0);
}
