import { describe, expect, test } from "vitest";
import {
  countTexts,
  detects,
  documentOf,
  faultsOfBroken,
  measure,
  readAs,
} from "../../../test/support/format-checks.ts";
import { deepFreeze } from "../../../test/support/messages.ts";
import { realTranscripts } from "../../../test/support/real-transcripts.ts";
import { fieldAt } from "../../core/json/read-json.ts";
import { geminiCliFormat } from "./index.ts";

const response = (id: string, body: object) => ({ functionResponse: { id, name: "read_file", response: body } });

const SESSION = deepFreeze({
  sessionId: "s1",
  projectHash: "abc",
  startTime: "2026-04-14T00:15:48.303Z",
  messages: [
    { id: "i1", timestamp: "2026-04-14T00:15:53.423Z", type: "info", content: "Update available." },
    {
      id: "u1",
      timestamp: "2026-04-14T00:16:25.510Z",
      type: "user",
      content: [{ text: "Read @a.ts" }, { text: "export {}" }],
      displayContent: [{ text: "Read a.ts" }],
    },
    {
      id: "g1",
      timestamp: "2026-04-14T00:16:29.767Z",
      type: "gemini",
      content: "I will read both.",
      thoughts: [{ subject: "Reading", description: "Two files.", timestamp: "2026-04-14T00:16:28.992Z" }],
      toolCalls: [
        {
          id: "c1",
          name: "read_file",
          args: { file_path: "a.ts", resultDisplay: "an argument" },
          result: [response("c1", { output: "export {}" })],
          status: "success",
          timestamp: "2026-04-14T00:16:30.095Z",
          resultDisplay: "1 line",
        },
        { id: "c2", name: "read_file", args: {}, result: [response("c2", { error: "No such file" })], status: "error" },
        { id: "c3", name: "run", args: { command: "sleep 9" }, status: "cancelled" },
      ],
      tokens: { input: 100, output: 10, cached: 60, thoughts: 5, tool: 2, total: 117 },
      model: "gemini-3-pro",
    },
    {
      id: "g2",
      timestamp: "2026-04-14T00:17:00.000Z",
      type: "gemini",
      content: "Done.",
      thoughts: [],
      model: "gemini-3-flash",
    },
  ],
});

describe("the Gemini CLI's documents", () => {
  test("a record with calls becomes the reply and, after it, the results of all its calls", () => {
    const { messages } = readAs(geminiCliFormat, SESSION);
    expect(messages.map(({ id, role }) => [id, role])).toEqual([
      ["u1", "user"],
      ["g1", "assistant"],
      ["g1/results", "user"],
      ["g2", "assistant"],
    ]);
    expect(messages[1]?.content).toEqual([
      { type: "reasoning", text: "Reading\n\nTwo files.", timestamp: "2026-04-14T00:16:28.992Z" },
      { type: "text", text: "I will read both." },
      { type: "tool_use", id: "c1", name: "read_file", input: { file_path: "a.ts", resultDisplay: "an argument" } },
      { type: "tool_use", id: "c2", name: "read_file", input: {} },
      { type: "tool_use", id: "c3", name: "run", input: { command: "sleep 9" } },
    ]);
    expect(messages[2]?.content).toEqual([
      { type: "tool_result", tool_use_id: "c1", content: "export {}" },
      { type: "tool_result", tool_use_id: "c2", content: "No such file", is_error: true },
    ]);
  });

  test("what the model got counts, not what the person typed", () => {
    const [first] = readAs(geminiCliFormat, SESSION).messages;
    expect(first?.content).toEqual([
      { type: "text", text: "Read @a.ts" },
      { type: "text", text: "export {}" },
    ]);
    expect(first?.ts).toBe(Date.parse("2026-04-14T00:16:25.510Z"));
  });

  test("usage counts each token once: what was cached is part of the input, thoughts are output", () => {
    const { usages, modelId, sessionId } = readAs(geminiCliFormat, SESSION);
    expect(usages).toEqual([
      { messageIndex: 1, inputTokens: 42, outputTokens: 15, cacheReadTokens: 60, cacheWriteTokens: 0 },
    ]);
    expect({ modelId, sessionId }).toEqual({ modelId: "gemini-3-flash", sessionId: "s1" });
  });

  test("an answer that is there twice, with its call and as the user's, is read once", () => {
    const again = { id: "u2", type: "user", content: [response("c1", { output: "export {}" }), { text: "go on" }] };
    const { messages } = readAs(geminiCliFormat, { ...SESSION, messages: [...SESSION.messages, again] });
    expect(messages.at(-1)?.content).toEqual([{ type: "text", text: "go on" }]);
  });

  test("calls and answers that are only among the parts are read as well", () => {
    const parts = [
      { text: "hm", thought: true, thoughtSignature: "s" },
      { functionCall: { id: "f", name: "ls", args: {} } },
    ];
    const answer = [
      response("f", { output: "a" }),
      { inlineData: { mimeType: "image/png", data: "AAAA" } },
      { fileData: { fileUri: "x" } },
    ];
    const records = [
      { id: "g", type: "gemini", content: parts },
      { id: "u", type: "user", content: answer },
    ];
    const { messages } = readAs(geminiCliFormat, { ...SESSION, messages: records });
    expect(messages.map(({ content }) => content)).toEqual([
      [
        { type: "reasoning", text: "hm", thoughtSignature: "s" },
        { type: "tool_use", id: "f", name: "ls", input: {} },
      ],
      [
        { type: "tool_result", tool_use_id: "f", content: "a" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
        { type: "fileData", fileData: { fileUri: "x" } },
      ],
    ]);
  });

  test("a notice of a compression is a compaction", () => {
    const notice = { id: "i2", type: "info", content: "Chat history compressed from 90,000 to 1,200 tokens." };
    const { compactions } = readAs(geminiCliFormat, { ...SESSION, messages: [...SESSION.messages, notice] });
    expect(compactions).toEqual([{ messageIndex: 4, tokensBefore: 90_000 }]);
  });

  test("what it does not know is said, and costs nothing else", () => {
    const records = [{ id: "x", type: "mystery" }, null, { id: "g", type: "gemini", content: "" }, ...SESSION.messages];
    const { messages, problems } = readAs(geminiCliFormat, { ...SESSION, messages: records });
    expect(messages).toHaveLength(4);
    expect(problems.map(({ where }) => where)).toEqual(["messages[0]", "messages[1]", "messages[2]"]);
  });

  test("whatever is broken in it, what is read is well-formed", () => {
    expect(faultsOfBroken(geminiCliFormat, SESSION)).toEqual([]);
  });

  test("needs nothing that only the person was shown", () => {
    const needs = geminiCliFormat.needs ?? (() => true);
    expect(needs(["messages", 1, "displayContent"])).toBe(false);
    expect(needs(["messages", 1, "toolCalls", 0, "resultDisplay"])).toBe(false);
    expect(needs(["messages", 1, "toolCalls", 0, "args", "resultDisplay"])).toBe(true);
  });
});

test("sessions of real agents: whole pairs, valid views, all tokens", ({ skip }) => {
  const files = realTranscripts("gemini-cli");
  if (files.length === 0) skip();
  for (const file of files) {
    const document = documentOf(file);
    expect(detects(geminiCliFormat, document)).toBe(true);
    const { users: _, tokens, ...measured } = measure(readAs(geminiCliFormat, document));
    const records = [fieldAt(document, "messages")].flat();
    const calls = records.flatMap((record) => fieldAt(record, "toolCalls") ?? []);
    const replies = records.filter((record) => fieldAt(record, "type") === "gemini");
    expect(measured, file).toEqual({
      assistants: replies.length,
      calls: calls.length,
      openCalls: 0,
      viewProblems: [],
      faults: [],
    });
    const expected = countTexts([
      ...records
        .filter((record) => fieldAt(record, "type") !== "info")
        .flatMap((record) => textsOf(fieldAt(record, "content"))),
      ...replies.flatMap((reply) =>
        [fieldAt(reply, "thoughts")].flat().flatMap((each) => [fieldAt(each, "subject"), fieldAt(each, "description")]),
      ),
      ...calls.flatMap((call) => [
        fieldAt(call, "id"),
        fieldAt(call, "name"),
        fieldAt(call, "args"),
        fieldAt(call, "result", 0, "functionResponse", "response", "output"),
      ]),
    ]);
    expect(tokens / expected, file).toBeGreaterThan(0.97);
    expect(tokens / expected, file).toBeLessThan(1.04);
  }
});

function textsOf(content: unknown): readonly unknown[] {
  return typeof content === "string" ? [content] : [content].flat().map((part) => fieldAt(part, "text"));
}
