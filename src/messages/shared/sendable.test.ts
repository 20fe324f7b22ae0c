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
