import type { Content } from "@google/genai";
import { expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import type { Message } from "../../core/message/message.ts";
import { writeGemini } from "./write.ts";

const write = (...messages: readonly Message[]) =>
  writeGemini({
    format: "test",
    messages: log(...messages),
    systemPrompt: "Help.",
    compactions: [],
    usages: [],
    problems: [],
  });

test("the answers to parallel calls are one turn, and name their functions", () => {
  const { contents, systemInstruction } = write(
    user("List"),
    assistant({ type: "reasoning", text: "hm", thoughtSignature: "s" }, call("c1", "ls"), call("c2", "cat")),
    user(result("c1", "a.ts")),
    user({ type: "tool_result", tool_use_id: "c2", content: "no such file", is_error: true }),
    assistant("Done."),
  );
  expect(systemInstruction).toEqual({ parts: [{ text: "Help." }] });
  const expected: Content[] = [
    { role: "user", parts: [{ text: "List" }] },
    {
      role: "model",
      parts: [
        { text: "hm", thought: true, thoughtSignature: "s" },
        { functionCall: { id: "c1", name: "ls", args: { path: "a.ts" } } },
        { functionCall: { id: "c2", name: "cat", args: { path: "a.ts" } } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "c1", name: "ls", response: { output: "a.ts" } } },
        { functionResponse: { id: "c2", name: "cat", response: { error: "no such file" } } },
      ],
    },
    { role: "model", parts: [{ text: "Done." }] },
  ];
  expect(contents).toEqual(expected);
});

test("parts that came from Gemini go back as they were; blocks of others are told as text", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
  const { contents } = write(
    user(image, { type: "fileData", fileData: { fileUri: "x" } }, { type: "document", title: "t" }),
    assistant(call("c1", "run", "raw input")),
    user({ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "see" }, image] }),
  );
  expect(contents[0]?.parts).toEqual([
    { inlineData: { mimeType: "image/png", data: "AAAA" } },
    { fileData: { fileUri: "x" } },
    { text: '{"type":"document","title":"t"}' },
  ]);
  expect(contents[1]?.parts).toEqual([{ functionCall: { id: "c1", name: "run", args: { input: "raw input" } } }]);
  const media = [{ inlineData: { mimeType: "image/png", data: "AAAA" } }];
  expect(contents[2]?.parts).toEqual([
    { functionResponse: { id: "c1", name: "run", response: { output: "see" }, parts: media } },
  ]);
});
