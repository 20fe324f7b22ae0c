import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { describe, expect, test } from "vitest";
import {
  countTexts,
  detects,
  documentOf,
  faultsOfBroken,
  measure,
  readAs,
  recordsOf,
} from "../../../test/support/format-checks.ts";
import { deepFreeze } from "../../../test/support/messages.ts";
import { realTranscripts } from "../../../test/support/real-transcripts.ts";
import { fieldAt } from "../../core/json/read-json.ts";
import { openaiFormat, openaiJsonlFormat, readOpenAiConversations, writeOpenAi } from "./index.ts";

const MESSAGES: readonly ChatCompletionMessageParam[] = deepFreeze([
  { role: "system", content: "Help." },
  { role: "user", content: "List" },
  {
    role: "assistant",
    content: "Both.",
    reasoning_content: "hm",
    tool_calls: [
      { id: "c1", type: "function", function: { name: "ls", arguments: '{"path":"a"}' } },
      { id: "c2", type: "function", function: { name: "ls", arguments: "not json" } },
    ],
  },
  { role: "tool", tool_call_id: "c1", content: "a.ts" },
  { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "b.ts" }] },
  { role: "developer", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "See" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ],
  },
  { role: "assistant", content: "Yes." },
]);

describe("messages as OpenAI's API has them", () => {
  test("calls and their answers are blocks, the system's first words the system prompt", () => {
    const { messages, systemPrompt } = readAs(openaiFormat, MESSAGES);
    expect(systemPrompt).toBe("Help.");
    expect(messages).toEqual([
      { role: "user", content: "List" },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm" },
          { type: "text", text: "Both." },
          { type: "tool_use", id: "c1", name: "ls", input: { path: "a" } },
          { type: "tool_use", id: "c2", name: "ls", input: "not json" },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "a.ts" }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "c2", content: [{ type: "text", text: "b.ts" }] }],
      },
      { role: "user", sourceRole: "developer", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "See" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
        ],
      },
      { role: "assistant", content: "Yes." },
    ]);
  });

  test("the old form without ids is paired by its order", () => {
    const old = [
      { role: "assistant", content: null, function_call: { name: "ls", arguments: "" } },
      { role: "function", name: "ls", content: "a.ts" },
    ];
    expect(measure(readAs(openaiFormat, old))).toMatchObject({ calls: 1, openCalls: 0 });
  });

  test("an answer without an id is the user's, an empty message is said to be there", () => {
    const { messages, problems } = readAs(openaiFormat, [
      { role: "tool", content: "a" },
      { role: "user", content: "" },
      { role: "assistant", content: null },
    ]);
    expect(messages).toEqual([{ role: "user", sourceRole: "tool", content: "a" }]);
    expect(problems.map(({ where }) => where)).toEqual(["[1]", "[2]"]);
  });

  test("blocks of Anthropic's API that are mixed in are read as such", () => {
    const content = [{ type: "tool_use", id: "c1", name: "ls", input: {} }];
    expect(readAs(openaiFormat, [{ role: "assistant", content }]).messages[0]?.content).toEqual(content);
  });

  test("what is written is what was read", () => {
    const transcript = readAs(openaiFormat, MESSAGES);
    const written = deepFreeze(writeOpenAi(transcript));
    expect(written).toEqual(MESSAGES);
    expect(readAs(openaiFormat, written)).toEqual(transcript);
  });

  test("what this API cannot say is written so that nothing is lost: images of results follow as the user's", () => {
    const image = { type: "image", source: { type: "url", url: "https://x/y.png" } };
    const result = {
      type: "tool_result",
      tool_use_id: "c1",
      content: [{ type: "text", text: "A" }, image],
      is_error: true,
    };
    const transcript = {
      ...readAs(openaiFormat, []),
      messages: [{ role: "user" as const, content: [result, { type: "text", text: "so?" }] }],
    };
    expect(writeOpenAi(transcript)).toEqual([
      { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "A" }] },
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "https://x/y.png" } },
          { type: "text", text: "so?" },
        ],
      },
    ]);
  });

  test("whatever is broken in them, what is read is well-formed", () => {
    expect(faultsOfBroken(openaiFormat, MESSAGES)).toEqual([]);
    expect(faultsOfBroken(openaiFormat, { model: "gpt-5", messages: MESSAGES.slice(0, 3) })).toEqual([]);
  });
});

describe("several conversations", () => {
  const results = deepFreeze([
    { task_id: 7, traj: MESSAGES },
    { task_id: 8, traj: MESSAGES.slice(0, 2) },
  ]);

  test("of a document: the first is read, the others are said to be there", () => {
    expect(detects(openaiFormat, results)).toBe(true);
    const transcript = readAs(openaiFormat, results);
    expect(transcript.sessionId).toBe("7");
    expect(transcript.problems).toEqual([{ where: "[1].traj", reason: expect.stringContaining("2 conversations") }]);
    expect(readOpenAiConversations(results).map(({ messages }) => messages.length)).toEqual([7, 1]);
  });

  test("one on each line: the same", () => {
    const lines = [{ messages: MESSAGES }, { messages: MESSAGES.slice(0, 2) }];
    expect(detects(openaiJsonlFormat, lines)).toBe(true);
    const { messages, problems } = readAs(openaiJsonlFormat, lines);
    expect(messages).toHaveLength(7);
    expect(problems).toEqual([{ where: "line 2", reason: expect.stringContaining("2 conversations") }]);
  });

  test("or one message on each line, which is one conversation", () => {
    expect(detects(openaiJsonlFormat, MESSAGES)).toBe(true);
    const { format: _, ...transcript } = readAs(openaiJsonlFormat, MESSAGES);
    expect(transcript).toEqual({ ...readAs(openaiFormat, MESSAGES), format: undefined });
    expect(faultsOfBroken(openaiJsonlFormat, MESSAGES.slice(0, 4))).toEqual([]);
  });

  test.each([
    ["a list of lists", [MESSAGES, MESSAGES]],
    ["the trajectory of a result", { id: "r1", trajectory: MESSAGES }],
    ["the history of each result", [{ history: MESSAGES }, { history: MESSAGES }]],
    ["conversations, each in its object", { conversations: [{ id: "a", messages: MESSAGES }, { messages: MESSAGES }] }],
    ["each message in an envelope", MESSAGES.map((message) => ({ type: "message", message }))],
  ])("as %s", (_, document) => {
    expect(detects(openaiFormat, document)).toBe(true);
    expect(readAs(openaiFormat, document).messages).toEqual(readAs(openaiFormat, MESSAGES).messages);
  });

  test("whatever is broken in a file of several, what is read is well-formed", () => {
    const document = { conversations: [{ messages: MESSAGES.slice(0, 3) }, [{ message: MESSAGES[1] }]] };
    expect(faultsOfBroken(openaiFormat, document)).toEqual([]);
  });

  test("lines in envelopes, the role inside or beside the message, are one conversation; other lines are said to be there", () => {
    const lines = [
      { type: "session_start", id: "s" },
      { role: "user", message: { content: [{ type: "text", text: "List" }] } },
      {
        type: "message",
        id: "m2",
        timestamp: 5,
        message: { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "ls", input: {} }] },
      },
      { role: "user", message: { content: [{ type: "tool_result", tool_use_id: "c1", content: "a.ts" }] } },
    ];
    expect(detects(openaiJsonlFormat, lines)).toBe(true);
    const { messages, problems } = readAs(openaiJsonlFormat, lines);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(messages[1]).toMatchObject({ id: "m2", ts: 5 });
    expect(problems.map(({ where }) => where)).toEqual(["line 1"]);
  });

  test("as plain text: each speaker's lines are a message", () => {
    const { messages } = readAs(openaiJsonlFormat, [
      { messages_display: "user: Hi\nthere\nassistant: None\ntool: Error: no\n" },
    ]);
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "Hi\nthere"],
      ["assistant", "None"],
      ["user", "Error: no"],
    ]);
  });
});

test("tau-bench's results: whole pairs, all tokens, in every conversation", ({ skip }) => {
  const files = realTranscripts("tau-bench");
  if (files.length === 0) skip();
  for (const file of files) {
    if (file.endsWith(".jsonl")) {
      expect(detects(openaiJsonlFormat, recordsOf(file))).toBe(true);
      expect(readAs(openaiJsonlFormat, recordsOf(file)).messages.length).toBeGreaterThan(4);
      continue;
    }
    const document = documentOf(file);
    const results = [document].flat();
    const transcripts = readOpenAiConversations(document);
    expect(transcripts).toHaveLength(results.length);
    for (const [index, transcript] of transcripts.entries()) {
      const records = [fieldAt(results[index], "traj")].flat();
      const calls = records.flatMap((record) => fieldAt(record, "tool_calls") ?? []);
      const measured = measure(transcript);
      expect(measured).toMatchObject({ calls: calls.length, openCalls: 0, faults: [] });
      const others = records.filter((record) => fieldAt(record, "role") !== "system");
      const expected = countTexts([
        ...others.map((record) => fieldAt(record, "content") ?? ""),
        ...calls.flatMap((call) => [fieldAt(call, "id"), fieldAt(call, "function")]),
      ]);
      expect(measured.tokens / expected).toBeGreaterThan(0.93);
      expect(measured.tokens / expected).toBeLessThan(1.12);
      const written = deepFreeze(writeOpenAi(transcript));
      expect(readOpenAiConversations([{ task_id: index, traj: written }])[0]?.messages).toEqual(transcript.messages);
    }
  }
});

test("mini-swe-agent's oldest form is such a list", ({ skip }) => {
  const lists = realTranscripts("mini-swe-agent").map(documentOf).filter(Array.isArray);
  if (lists.length === 0) skip();
  for (const list of lists) {
    expect(detects(openaiFormat, list)).toBe(true);
    expect(measure(readAs(openaiFormat, list)).viewProblems).toEqual([]);
  }
});
