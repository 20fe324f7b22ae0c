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
import { claudeCodeFormat, writeClaudeCode } from "./index.ts";

const files = realFiles("claude-code/**/*.jsonl");

describe.skipIf(files.length === 0)("sessions of Claude Code", () => {
  test.each(files)("$path is read whole", ({ text, counts }) => {
    const records = parseLines(text);
    expect(claudeCodeFormat.detect(records.slice(0, 20))).toBe(true);
    const { messages, usages, problems, ...transcript } = readRecords(claudeCodeFormat, records);
    expectWellFormed({ messages, usages, problems, ...transcript });
    expect(problems).toEqual([]);
    expect(pairCounts(messages)).toEqual({ calls: counts.calls, results: counts.results });
    expect(messages.filter(({ role }) => role === "assistant")).toHaveLength(counts.replies);
    const broken = validateView(messages).filter(({ code }) => code !== "missing-result");
    expect(broken).toEqual([]);
    expectNear(countMessagesTokens(messages), rawTokens(records));
    expect(usages.reduce((sum, { cacheReadTokens }) => sum + cacheReadTokens, 0)).toBe(rawCacheReads(records));
  });

  test.each(files)("$path comes back the same when written and read", ({ text }) => {
    const { problems: _, ...transcript } = readRecords(claudeCodeFormat, parseLines(text));
    const { problems, ...again } = readRecords(
      claudeCodeFormat,
      parseLines(writeClaudeCode({ ...transcript, problems: [] }).join("\n")),
    );
    expect(again).toEqual(transcript);
    expect(problems).toEqual([]);
  });
});

/** Every text of the conversation, whatever the tree says. */
function rawTokens(records: readonly Json[]): number {
  let count = 0;
  const add = (text: unknown) => {
    if (typeof text === "string" && text.trim() !== "") count += countTextTokens(text);
  };
  for (const { type, message, attachment } of records) {
    if (type === "attachment" && !/^(hook_(system|non)|async)/.test(attachment.type)) {
      const { content, prompt, addedBlocks, addedLines } = attachment;
      add(content === undefined ? prompt : Array.isArray(content) ? content.map(asString).join("\n") : content);
      add((addedBlocks ?? addedLines)?.join("\n"));
    }
    if (type !== "user" && type !== "assistant") continue;
    if (typeof message.content === "string") add(message.content);
    else for (const block of message.content) addBlock(block, add);
  }
  return count;
}

function addBlock(block: Json, add: (text: unknown) => void): void {
  add(block.text ?? block.thinking);
  if (block.type === "tool_use") add(`Tool: ${block.name}\nArguments: ${JSON.stringify(block.input)}`);
  if (block.type !== "tool_result") return;
  const items =
    typeof block.content === "string" ? [block.content] : (block.content ?? []).map((item: Json) => item.text);
  add(`Result: ${block.tool_use_id}\n${items.join("\n")}`);
}

function asString(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** By reply: its lines repeat the same numbers. */
function rawCacheReads(records: readonly Json[]): number {
  const reads = new Map<string, number>();
  for (const { type, message } of records) {
    if (type === "assistant") reads.set(message.id, message.usage?.cache_read_input_tokens ?? 0);
  }
  return [...reads.values()].reduce((sum, tokens) => sum + tokens, 0);
}
