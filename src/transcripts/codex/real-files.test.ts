import { describe, expect, test } from "vitest";
import {
  expectNear,
  expectWellFormed,
  type Json,
  pairCounts,
  parseLines,
  readRecords,
  realFiles,
} from "../../../test/support/transcripts.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { countMessagesTokens, countTextTokens } from "../../index.ts";
import { codexFormat, writeCodex } from "./index.ts";

const files = realFiles("codex/**/*.jsonl");

describe.skipIf(files.length === 0)("sessions of Codex", () => {
  test.each(files)("$path is read whole", ({ text, counts }) => {
    const records = parseLines(text);
    expect(codexFormat.detect(records.slice(0, 20))).toBe(true);
    const transcript = readRecords(codexFormat, records);
    const { messages, usages, problems, compactions, systemPrompt } = transcript;
    expectWellFormed(transcript);
    expect(problems).toEqual([]);
    expect(pairCounts(messages)).toEqual({ calls: counts.calls, results: counts.results });
    const broken = validateView(messages).filter(({ code }) => code !== "missing-result");
    expect(broken).toEqual([]);
    expect(compactions).toHaveLength(records.filter(({ type }) => type === "compacted").length);
    expect(systemPrompt?.length).toBeGreaterThan(1_000);
    expectNear(countMessagesTokens(messages), rawTokens(records));
    const output = usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
    expect(output).toBe(rawOutputTokens(records));
  });

  test.each(files)("$path comes back the same when written and read", ({ text }) => {
    const transcript = readRecords(codexFormat, parseLines(text));
    expect(readRecords(codexFormat, parseLines(writeCodex(transcript).join("\n")))).toEqual(transcript);
  });
});

function rawTokens(records: readonly Json[]): number {
  const items = records.flatMap(({ type, payload }) => {
    if (type === "compacted") return payload.replacement_history;
    return type === "response_item" ? [payload] : [];
  });
  const hasUsers = items.some(({ role }) => role === "user");
  const typed = records.flatMap(({ payload }) => (payload.type === "user_message" ? [payload.message] : []));
  return [...items.map(itemText), ...(hasUsers ? [] : typed)].reduce((sum, text) => sum + countTextTokens(text), 0);
}

function itemText(item: Json): string {
  if (item.type === "message") return item.content.map((part: Json) => part.text).join("");
  if (item.type === "reasoning") return item.summary.map((part: Json) => part.text).join("\n\n");
  if (item.type.endsWith("_output")) return `Result: ${item.call_id}\n${item.output}`;
  if (!item.type.endsWith("_call")) return JSON.stringify(item);
  const input = item.arguments === undefined ? item.input : JSON.parse(item.arguments);
  return `Tool: ${item.name}\nArguments: ${JSON.stringify(input)}`;
}

/** The last total that the file states. */
function rawOutputTokens(records: readonly Json[]): number {
  const totals = records.flatMap(({ payload }) => payload.info?.total_token_usage?.output_tokens ?? []);
  return totals.at(-1) ?? 0;
}
