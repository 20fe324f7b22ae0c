import { expect, test } from "vitest";
import type { Message } from "../../core/message/message.ts";
import { toAiSdk, toAnthropic, toGemini, toLangChain, toOpenAiChat, toOpenAiResponses } from "../index.ts";

const CONVERTERS = Object.entries({ toAiSdk, toAnthropic, toGemini, toLangChain, toOpenAiChat, toOpenAiResponses });

test.each(CONVERTERS)("%s writes no half of a surrogate pair, and keeps whole pairs", (_, convert) => {
  const messages: readonly Message[] = [
    { role: "user", content: "Cut: \ud83d" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "\ude00 whole: 😀" },
        { type: "tool_use", id: "c1", name: "read", input: { "p\ud83d": ["\ude00"] } },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "\ud83d." }] }],
    },
  ];
  const written = JSON.stringify(convert(messages, { system: "Brief.\ud83d" }));
  expect(written).not.toMatch(/\\ud[89a-f]/);
  expect(written).toContain("😀");
  expect(written.match(/\ufffd/g)).toHaveLength(6);
});

test("an error without a word says so where the API refuses it", () => {
  const ask: readonly Message[] = [
    { role: "user", content: "Go." },
    { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "run", input: {} }] },
  ];
  const failed = (content: Extract<Message["content"], string> | [] | undefined, isError = true): Message => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "c1", ...(content !== undefined && { content }), is_error: isError }],
  });
  for (const content of ["", " \n", [] as [], undefined]) {
    const result = { type: "tool_result", tool_use_id: "c1", content: "(no output)", is_error: true };
    expect(toAnthropic([...ask, failed(content)]).messages.at(-1)?.content).toEqual([result]);
    expect(toLangChain([...ask, failed(content)]).messages.at(-1)).toMatchObject({ content: "(no output)" });
  }
  const result = { type: "tool_result", tool_use_id: "c1", content: "", is_error: false };
  expect(toAnthropic([...ask, failed("", false)]).messages.at(-1)?.content).toEqual([result]);
});
