import type { OpenAI } from "openai";
import { describe, expect, test } from "vitest";
import { fromOpenAiChat, type OpenAiChatMessage, type OpenAiChatMessageLike, toOpenAiChat } from "./index.ts";

describe("there and back", () => {
  const there: readonly (readonly [string, readonly OpenAiChatMessage[]])[] = [
    [
      "a name and roles",
      [
        { role: "system", content: "Be brief." },
        {
          role: "developer",
          name: "host",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
        { role: "user", name: "ann", content: "Hi." },
        { role: "assistant", name: "bot", content: "Ho." },
        { role: "system", content: "Be long." },
        { role: "user", content: "Go on." },
      ],
    ],
    [
      "media",
      [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "https://example.invalid/a.png", detail: "low" } },
            { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
            { type: "file", file: { file_id: "f1", filename: "a.pdf" }, prompt_cache_breakpoint: { mode: "explicit" } },
          ],
        },
        { role: "assistant", content: null, audio: { id: "audio_1" } },
        { role: "user", content: "Again." },
      ],
    ],
    [
      "calls with arguments as they were written",
      [
        { role: "user", content: "Go." },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "a", type: "function", function: { name: "read", arguments: '{ "path":\t"x" }' } },
            { id: "b", type: "function", function: { name: "read", arguments: '{"path": "x' } },
            { id: "c", type: "function", function: { name: "read", arguments: "7" } },
            { id: "d", type: "custom", custom: { name: "shell", input: '{"a": 1}' } },
          ],
        },
        { role: "tool", tool_call_id: "a", content: "one" },
        { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "two" }] },
        { role: "tool", tool_call_id: "c", content: "" },
        { role: "tool", tool_call_id: "d", content: "four" },
      ],
    ],
    [
      "calls of the oldest form",
      [
        { role: "user", content: "Go." },
        { role: "assistant", content: null, function_call: { name: "read", arguments: "{}" } },
        { role: "function", name: "read", content: "text" },
      ],
    ],
    [
      "refusals",
      [
        { role: "user", content: "Go." },
        { role: "assistant", content: null, refusal: "No." },
        { role: "user", content: "Please." },
        { role: "assistant", content: "Well,", refusal: "no." },
        { role: "user", content: "Why?" },
      ],
    ],
  ];
  test.each(there)("keeps %s", (_, messages) => {
    expect(toOpenAiChat(fromOpenAiChat(messages)).messages).toEqual(messages);
  });

  test("keeps reasoning for servers that want it back", () => {
    const messages: readonly OpenAiChatMessage[] = [
      { role: "user", content: "Go." },
      {
        role: "assistant",
        content: "Reading.",
        reasoning_content: "Hm.",
        tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "a", content: "one" },
    ];
    expect(toOpenAiChat(fromOpenAiChat(messages), { reasoning: "reasoning_content" }).messages).toEqual(messages);
  });
});

describe("fromOpenAiChat", () => {
  test("reads a reply without what only replies have", () => {
    const reply = {
      role: "assistant",
      content: "Hi.",
      refusal: null,
      annotations: [],
      parsed: { a: 1 },
      audio: null,
    } as const;
    expect(fromOpenAiChat([reply])).toEqual([{ role: "assistant", content: "Hi." }]);
  });

  test("reads no text where a reply with calls has an empty one", () => {
    const call = { id: "a", type: "function", function: { name: "read", arguments: "" } };
    expect(fromOpenAiChat([{ role: "assistant", content: "", tool_calls: [call] }])).toEqual([
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] },
    ]);
  });

  test("takes what the official client takes and gives", () => {
    const prompt: readonly OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: "user", content: "Why?" }];
    const reply: OpenAI.Chat.ChatCompletionMessage = { role: "assistant", content: "Because.", refusal: null };
    expect(fromOpenAiChat([...prompt, reply]).map(({ content }) => content)).toEqual(["Why?", "Because."]);
  });

  test("says which entry is no message", () => {
    const list: readonly OpenAiChatMessageLike[] = JSON.parse('[{ "role": "user", "content": "a" }, 5]');
    expect(() => fromOpenAiChat(list)).toThrow(
      "list[1] is 5; it must be a message with a role; of a completion, that is completion.choices[0].message.",
    );
    expect(() => fromOpenAiChat([{ role: "critic" }])).toThrow('list[0].role is "critic"; it must be "system",');
    expect(() => fromOpenAiChat([{ role: "tool" }])).toThrow("list[0].tool_call_id is undefined");
  });
});
