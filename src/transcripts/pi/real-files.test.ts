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
import { piFormat } from "./index.ts";

const files = realFiles("pi/**/*.jsonl");

describe.skipIf(files.length === 0)("sessions of pi", () => {
  test.each(files)("$path is read whole", ({ text, counts }) => {
    const records = parseLines(text);
    expect(piFormat.detect(records.slice(0, 5))).toBe(true);
    const transcript = readRecords(piFormat, records);
    const { messages, usages, problems } = transcript;
    expectWellFormed(transcript);
    expect(problems).toEqual([]);
    expect(pairCounts(messages)).toEqual({ calls: counts.calls, results: counts.results });
    const broken = validateView(messages).filter(({ code }) => code !== "missing-result");
    expect(broken).toEqual([]);
    const replies = records.filter(({ message }) => message?.role === "assistant" && message.content.length > 0);
    expect(messages.filter(({ role }) => role === "assistant")).toHaveLength(replies.length);
    expectNear(countMessagesTokens(messages), rawTokens(records));
    const output = usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
    expect(output).toBe(replies.reduce((sum, { message }) => sum + message.usage.output, 0));
  });
});

function rawTokens(records: readonly Json[]): number {
  let count = 0;
  for (const { message } of records) {
    if (message === undefined) continue;
    const texts = message.content.map((block: Json) =>
      block.type === "toolCall"
        ? `Tool: ${block.name}\nArguments: ${JSON.stringify(block.arguments)}`
        : (block.text ?? block.thinking),
    );
    if (message.role === "toolResult") texts.unshift(`Result: ${message.toolCallId}\n`);
    count += texts.reduce((sum: number, text: string) => sum + countTextTokens(text), 0);
  }
  return count;
}
