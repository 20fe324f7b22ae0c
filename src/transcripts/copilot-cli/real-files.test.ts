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
import { copilotCliFormat } from "./index.ts";

const files = realFiles("copilot-cli/**/*.jsonl");

describe.skipIf(files.length === 0)("sessions of the Copilot CLI", () => {
  test.each(files)("$path is read whole", ({ text, counts }) => {
    const records = parseLines(text);
    expect(copilotCliFormat.detect(records.slice(0, 5))).toBe(true);
    const transcript = readRecords(copilotCliFormat, records);
    const { messages, problems, systemPrompt } = transcript;
    expectWellFormed(transcript);
    expect(problems).toEqual([]);
    expect(validateView(messages)).toEqual([]);
    expect(pairCounts(messages)).toEqual({ calls: counts.calls, results: counts.results });
    expect(systemPrompt?.length).toBeGreaterThan(1_000);
    // Replies without a word or a call are there, too.
    expect(messages.filter(({ role }) => role === "assistant")).toHaveLength(records.filter(isVisibleReply).length);
    expectNear(countMessagesTokens(messages), rawTokens(records));
  });
});

function isVisibleReply({ type, data }: Json): boolean {
  return (
    type === "assistant.message" && (data.content !== "" || data.toolRequests.length > 0 || "reasoningOpaque" in data)
  );
}

function rawTokens(records: readonly Json[]): number {
  const texts = records.flatMap(({ type, data }) => {
    const result = data.result?.content ?? data.error?.message;
    switch (type) {
      case "user.message":
        return [data.transformedContent ?? data.content];
      case "system.notification":
        return [data.content];
      case "tool.execution_complete":
        return [`Result: ${data.toolCallId}\n${data.success ? "" : "Error: true\n"}${result}`];
      case "assistant.message": {
        const calls = data.toolRequests.map(
          (each: Json) => `Tool: ${each.name}\nArguments: ${JSON.stringify(each.arguments)}`,
        );
        return [data.reasoningText ?? "", data.content, ...calls];
      }
      default:
        return [];
    }
  });
  return texts.reduce((sum, text) => sum + countTextTokens(text), 0);
}
