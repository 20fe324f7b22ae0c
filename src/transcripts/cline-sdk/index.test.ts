import { describe, expect, test } from "vitest";
import {
  countTexts,
  detects,
  documentOf,
  faultsOfBroken,
  measure,
  readAs,
} from "../../../test/support/format-checks.ts";
import { deepFreeze, ids } from "../../../test/support/messages.ts";
import { realTranscripts } from "../../../test/support/real-transcripts.ts";
import { fieldAt } from "../../core/json/read-json.ts";
import { clineSdkFormat } from "./index.ts";

const SESSION = deepFreeze({
  version: 1,
  updated_at: "2026-07-15T05:42:04.818Z",
  agent: "lead",
  sessionId: "s1",
  system_prompt: "You are Cline.",
  messages: [
    {
      id: "m1",
      role: "user",
      ts: 1,
      content: [
        { type: "text", text: "Fix it" },
        { type: "file", path: "a.ts", content: "export {}" },
      ],
    },
    {
      id: "m2",
      role: "assistant",
      ts: 2,
      content: [
        { type: "thinking", thinking: "Read first.", signature: "sig" },
        { type: "tool_use", id: "c1", name: "read_files", input: { path: "a.ts" } },
      ],
      modelInfo: { id: "claude-opus" },
      metrics: { inputTokens: 100, outputTokens: 9, cacheReadTokens: 80, cacheWriteTokens: 5 },
    },
    {
      id: "m3",
      role: "user",
      ts: 3,
      content: [
        {
          type: "tool_result",
          tool_use_id: "c1",
          name: "read_files",
          content: [{ query: "a.ts", result: "export {}", success: true }],
        },
      ],
    },
  ],
});

describe("sessions of Cline's SDK", () => {
  test("thinking is reasoning with its signature, files are text, items that are no blocks are told as JSON", () => {
    const { messages, systemPrompt, modelId, problems } = readAs(clineSdkFormat, SESSION);
    expect(messages.map(({ content }) => content)).toEqual([
      [
        { type: "text", text: "Fix it" },
        { type: "text", text: "a.ts\nexport {}" },
      ],
      [
        { type: "reasoning", text: "Read first.", signature: "sig" },
        { type: "tool_use", id: "c1", name: "read_files", input: { path: "a.ts" } },
      ],
      [
        {
          type: "tool_result",
          tool_use_id: "c1",
          name: "read_files",
          content: [{ type: "text", text: '{"query":"a.ts","result":"export {}","success":true}' }],
        },
      ],
    ]);
    expect({ systemPrompt, modelId, problems }).toEqual({
      systemPrompt: "You are Cline.",
      modelId: "claude-opus",
      problems: [],
    });
  });

  test("what was cached is part of the input that is reported", () => {
    expect(readAs(clineSdkFormat, SESSION).usages).toEqual([
      { messageIndex: 1, inputTokens: 15, outputTokens: 9, cacheReadTokens: 80, cacheWriteTokens: 5 },
    ]);
  });

  test("a compaction is where the message lies that carries its summary", () => {
    const metadata = { kind: "compaction_summary", summary: "## Goal", tokensBefore: 21_919 };
    const summary = { id: "m4", role: "user", content: [{ type: "text", text: "Context summary" }], metadata };
    const { compactions, messages } = readAs(clineSdkFormat, { ...SESSION, messages: [...SESSION.messages, summary] });
    expect(compactions).toEqual([{ messageIndex: 3, summary: "## Goal", tokensBefore: 21_919 }]);
    expect(messages).toHaveLength(4);
  });

  test("the header of a session names the file of its messages", () => {
    const header = { session_id: "s1", messages_path: "s1.messages.json", model: "mixtral", cwd: "/work" };
    expect(detects(clineSdkFormat, header)).toBe(true);
    const { messages, problems, ...fields } = readAs(clineSdkFormat, header);
    expect(messages).toEqual([]);
    const reason = "The messages are in another file: pass s1.messages.json.";
    expect(problems).toEqual([{ where: "messages_path", reason }]);
    expect(fields).toMatchObject({ sessionId: "s1", modelId: "mixtral", workingDirectory: "/work" });
  });

  test("an id that comes twice gets a number", () => {
    const [first] = SESSION.messages;
    const { messages } = readAs(clineSdkFormat, { ...SESSION, messages: [first, first, first] });
    expect(ids(messages)).toEqual(["m1", "m1#2", "m1#3"]);
  });

  test("whatever is broken in it, what is read is well-formed", () => {
    expect(faultsOfBroken(clineSdkFormat, SESSION)).toEqual([]);
  });
});

test("sessions of real agents: whole pairs, valid views, all tokens", ({ skip }) => {
  const files = realTranscripts("cline-sdk");
  if (files.length === 0) skip();
  for (const file of files) {
    const document = documentOf(file);
    expect(detects(clineSdkFormat, document), file).toBe(true);
    const transcript = readAs(clineSdkFormat, document);
    if (file.endsWith("session.json")) continue;
    const { tokens, viewProblems, openCalls, faults } = measure(transcript);
    expect({ viewProblems, openCalls, faults }, file).toEqual({ viewProblems: [], openCalls: 0, faults: [] });
    const messages = [fieldAt(document, "messages")].flat();
    expect(transcript.messages).toHaveLength(messages.length);
    expect(transcript.compactions).toHaveLength(file.endsWith(".compaction.json") ? 1 : 0);
    const blocks = messages.flatMap((message) => fieldAt(message, "content") ?? []);
    const expected = countTexts(
      blocks.flatMap((block) =>
        [fieldAt(block, "text"), fieldAt(block, "thinking"), fieldAt(block, "input"), fieldAt(block, "content")].filter(
          Boolean,
        ),
      ),
    );
    expect(tokens / expected, file).toBeGreaterThan(0.95);
    // Small files are mostly names and ids, which this count leaves out.
    expect(tokens / expected, file).toBeLessThan(expected > 10_000 ? 1.05 : 1.4);
  }
});
