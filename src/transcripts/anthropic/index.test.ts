import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import { describe, expect, test } from "vitest";
import { detects, faultsOfBroken, readAs } from "../../../test/support/format-checks.ts";
import { deepFreeze } from "../../../test/support/messages.ts";
import { anthropicFormat, writeAnthropic } from "./index.ts";

const MESSAGES: readonly MessageParam[] = deepFreeze([
  { role: "user", content: "Fix it" },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "redacted_thinking", data: "x" },
      { type: "tool_use", id: "c1", name: "read", input: { path: "a" } },
    ],
  },
  {
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "c1",
        content: [
          { type: "text", text: "A" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
        ],
      },
      { type: "text", text: "and?", cache_control: { type: "ephemeral" } },
    ],
  },
]);

describe("messages as Anthropic's API has them", () => {
  test("are read as they are, thinking as reasoning", () => {
    const { messages } = readAs(anthropicFormat, MESSAGES);
    expect(messages[1]?.content).toEqual([
      { type: "reasoning", text: "hm", signature: "sig" },
      { type: "redacted_thinking", data: "x" },
      { type: "tool_use", id: "c1", name: "read", input: { path: "a" } },
    ]);
    expect([messages[0], messages[2]]).toEqual([MESSAGES[0], MESSAGES[2]]);
  });

  test("come bare, or in a request with its system prompt", () => {
    const system = [
      { type: "text", text: "You are" },
      { type: "text", text: "helpful." },
    ];
    const request = { model: "claude-sonnet-4-5", system, messages: MESSAGES };
    expect([detects(anthropicFormat, MESSAGES), detects(anthropicFormat, request)]).toEqual([true, true]);
    expect(readAs(anthropicFormat, request)).toMatchObject({
      systemPrompt: "You are\n\nhelpful.",
      modelId: "claude-sonnet-4-5",
    });
  });

  test("are not claimed where nothing shows whose they are", () => {
    expect(detects(anthropicFormat, [{ role: "user", content: "hi" }])).toBe(false);
    expect(detects(anthropicFormat, [{ role: "system", content: "hi" }, ...MESSAGES])).toBe(false);
  });

  test("are written as they were read", () => {
    const transcript = readAs(anthropicFormat, { system: "Help.", messages: MESSAGES });
    expect(writeAnthropic(transcript)).toEqual({ system: "Help.", messages: MESSAGES });
    expect(readAs(anthropicFormat, deepFreeze(writeAnthropic(transcript)))).toEqual(transcript);
  });

  test("whatever is broken in them, what is read is well-formed", () => {
    expect(faultsOfBroken(anthropicFormat, { system: "Help.", messages: MESSAGES })).toEqual([]);
  });

  test("a block that lacks a field is told as text, with its place", () => {
    const { messages, problems } = readAs(anthropicFormat, [
      { role: "user", content: [{ type: "tool_result", content: "A" }] },
    ]);
    expect(messages[0]?.content).toEqual([{ type: "text", text: '{"type":"tool_result","content":"A"}' }]);
    expect(problems).toEqual([{ where: "messages[0].content[0]", reason: expect.stringContaining("lacks a field") }]);
  });
});
