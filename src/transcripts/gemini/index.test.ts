import { describe, expect, test } from "vitest";
import { detects, faultsOfBroken, measure, readAs } from "../../../test/support/format-checks.ts";
import { deepFreeze } from "../../../test/support/messages.ts";
import { geminiFormat, writeGemini } from "./index.ts";

const REQUEST = deepFreeze({
  systemInstruction: { parts: [{ text: "Help." }] },
  contents: [
    { role: "user", parts: [{ text: "List" }] },
    {
      role: "model",
      parts: [
        { text: "hm", thought: true, thoughtSignature: "s" },
        { functionCall: { id: "c1", name: "ls", args: { path: "a" } } },
        { functionCall: { id: "c2", name: "ls", args: { path: "b" } } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "c1", name: "ls", response: { output: "a.ts" } } },
        { functionResponse: { id: "c2", name: "ls", response: { error: "no such folder" } } },
      ],
    },
    { role: "model", parts: [{ text: "Done." }] },
  ],
});

describe("messages as Gemini's API has them", () => {
  test("parts are blocks, the model is the assistant, the instruction the system prompt", () => {
    expect(detects(geminiFormat, REQUEST)).toBe(true);
    const { messages, systemPrompt, problems } = readAs(geminiFormat, REQUEST);
    expect(systemPrompt).toBe("Help.");
    expect(messages).toEqual([
      { role: "user", content: "List" },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm", thoughtSignature: "s" },
          { type: "tool_use", id: "c1", name: "ls", input: { path: "a" } },
          { type: "tool_use", id: "c2", name: "ls", input: { path: "b" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "a.ts" },
          { type: "tool_result", tool_use_id: "c2", content: "no such folder", is_error: true },
        ],
      },
      { role: "assistant", content: "Done." },
    ]);
    expect(problems).toEqual([]);
  });

  test("what is written is what was read", () => {
    const transcript = readAs(geminiFormat, REQUEST);
    expect(writeGemini(transcript)).toEqual(REQUEST);
    expect(readAs(geminiFormat, writeGemini(transcript))).toEqual(transcript);
  });

  test("calls without ids are paired with the answers of their functions, in order", () => {
    const call = (name: string) => ({ functionCall: { name, args: {} } });
    const answer = (name: string, output: string) => ({ functionResponse: { name, response: { output } } });
    const transcript = readAs(geminiFormat, [
      { role: "model", parts: [{ text: "Both." }, call("ls"), call("cat"), call("ls")] },
      { role: "function", parts: [answer("cat", "text"), answer("ls", "first"), answer("ls", "second")] },
    ]);
    expect(measure(transcript)).toMatchObject({ calls: 3, openCalls: 0, faults: [] });
    expect(transcript.messages[1]?.content).toMatchObject([
      { tool_use_id: "call-1", content: "text" },
      { tool_use_id: "call-0", content: "first" },
      { tool_use_id: "call-2", content: "second" },
    ]);
  });

  test("are told from the messages of others, whose parts say their type", () => {
    expect(detects(geminiFormat, [{ role: "user", parts: [{ type: "text", text: "hi" }] }])).toBe(false);
    expect(detects(geminiFormat, [{ info: {}, parts: [{ type: "tool" }] }])).toBe(false);
    expect(detects(geminiFormat, REQUEST.contents)).toBe(true);
  });

  test("whatever is broken in them, what is read is well-formed", () => {
    expect(faultsOfBroken(geminiFormat, REQUEST)).toEqual([]);
    expect(faultsOfBroken(geminiFormat, REQUEST.contents)).toEqual([]);
  });
});
