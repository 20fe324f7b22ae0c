import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { checkMessages } from "../../src/core/message/check-messages.ts";
import type { Message } from "../../src/core/message/message.ts";
import { detectPairs } from "../../src/core/message/tool-pairs.ts";
import type { DocumentFormat, LinesFormat, Transcript } from "../../src/core/transcript/transcript.ts";

/** Transcripts of real agents: `PALIMPSEST_DATA`, relative to the repository. */
const DATA_FOLDER = resolve(import.meta.dirname, "../..", process.env.PALIMPSEST_DATA ?? "../shared/data");

/** A session file of a real agent. */
export interface RealFile {
  readonly path: string;
  readonly text: string;
  /** Counts that were taken when the file was collected. */
  readonly counts: { readonly calls: number; readonly results: number; readonly replies: number };
}

/** The real files that match; none, with a warning, where there are no data. */
export function realFiles(pattern: string): readonly RealFile[] {
  const manifestPath = join(DATA_FOLDER, "MANIFEST.json");
  if (!existsSync(manifestPath)) {
    console.warn(`Skipped the real files ${pattern}: there is no ${manifestPath}. Set PALIMPSEST_DATA.`);
    return [];
  }
  const manifest: readonly Record<string, unknown>[] = JSON.parse(readFileSync(manifestPath, "utf8"));
  const counts = new Map(manifest.map((file) => [file.path, file]));
  return globSync(pattern, { cwd: DATA_FOLDER })
    .sort()
    .map((path) => {
      const count = counts.get(path);
      const text = readFileSync(join(DATA_FOLDER, path), "utf8");
      return {
        path,
        text,
        counts: {
          calls: Number(count?.tool_calls),
          results: Number(count?.tool_results),
          replies: Number(count?.assistant_msgs),
        },
      };
    });
}

/** The values of the lines of a JSONL text. */
export function parseLines(text: string): readonly Json[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
}

/** A JSON value to walk through without ceremony. */
// biome-ignore lint/suspicious/noExplicitAny: tests count what a file holds by a route of their own
export type Json = any;

/** Reads records as a format that has one on each line. */
export function readRecords(format: LinesFormat, records: readonly unknown[]): Transcript {
  const reader = format.createReader();
  for (const [index, record] of records.entries()) reader.read(record, index + 1);
  return reader.finish();
}

/** Calls and answers of a log. */
export function pairCounts(messages: readonly Message[]) {
  const pairs = detectPairs(messages);
  return { calls: pairs.length, results: pairs.filter(({ result }) => result !== undefined).length };
}

/** Within 3 % of a count that was made by another route. */
export function expectNear(count: number, otherCount: number): void {
  expect(count).toBeGreaterThan(otherCount * 0.97 - 5);
  expect(count).toBeLessThan(otherCount * 1.03 + 5);
}

const HOSTILE_VALUES: readonly unknown[] = [
  null,
  7,
  Number.MAX_VALUE,
  "",
  "text",
  true,
  [],
  {},
  [null],
  { type: "tool_use" },
];

/** Copies of a value with one place changed to something hostile, or gone; each place and each value once. */
export function* hostileCopies(value: unknown): Generator<unknown> {
  yield* HOSTILE_VALUES;
  yield nested(5_000);
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    const { [key]: inner, ...rest }: Record<string, unknown> = { ...value };
    if (Array.isArray(value)) {
      for (const copy of hostileCopies(inner)) yield value.with(Number(key), copy);
    } else {
      yield rest;
      for (const copy of hostileCopies(inner)) yield { ...value, [key]: copy };
    }
  }
}

/** Lists within lists. */
export function nested(depth: number): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < depth; level++) value = [{ type: "tool_result", tool_use_id: "a", content: value }];
  return value;
}

/** Any change to a good file is read without an exception, to a well-formed and always the same log. */
export function expectSurvival(read: (records: readonly unknown[]) => Transcript, records: readonly unknown[]): void {
  let count = 0;
  for (const [index] of records.entries()) {
    for (const copy of hostileCopies(records[index])) {
      const changed = records.with(index, copy);
      const transcript = read(changed);
      expectWellFormed(transcript);
      if (count++ % 50 === 0) expect(read(changed)).toEqual(transcript);
    }
  }
  expect(count).toBeGreaterThan(100);
}

export function expectWellFormed({ messages, usages, compactions, problems }: Transcript): void {
  checkMessages(messages);
  const ids = messages.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => id !== undefined && id !== "")).toBe(true);
  for (const { messageIndex } of usages) expect(messages[messageIndex]?.role).toBe("assistant");
  for (const { messageIndex } of compactions) expect(messageIndex).toBeLessThanOrEqual(messages.length);
  for (const { where, reason } of problems) expect(`${where}: ${reason}`).not.toContain("undefined");
}

/** Reads a document as it is, without the incremental reader. */
export function readDocument(format: DocumentFormat, document: unknown): Transcript {
  expect(format.detect(document)).toBe(true);
  return format.read(document);
}
