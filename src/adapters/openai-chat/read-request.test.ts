import { describe, expect, test } from "vitest";
import { canonicalTexts } from "../../../test/support/wire-parts.ts";
import { checkMessages } from "../../core/message/check-messages.ts";
import { validateView } from "../../core/message/validate-view.ts";
import type { WireRequest } from "../../core/ports/wire-adapter.ts";
import { openaiChatAdapter } from "./index.ts";

function read(body: unknown): WireRequest {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const request = openaiChatAdapter.readRequest({ path: "/v1/chat/completions", body: text });
  if (request === undefined) throw new Error("The request was not read.");
  checkMessages(request.messages);
  return request;
}

const functionCall = (id: string, args = '{"path":"a.ts"}') => ({
  id,
  type: "function",
  function: { name: "read_file", arguments: args },
});

describe("a request of a coding agent", () => {
  const request = read({
    model: "qwen3-coder",
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 8_000,
    messages: [
      { role: "system", content: "You are an agent." },
      { role: "developer", content: [{ type: "text", text: "Be brief." }] },
      { role: "user", content: "Mend the test." },
      { role: "assistant", content: "", tool_calls: [functionCall("c1"), functionCall("c2", "not json")] },
      { role: "tool", tool_call_id: "c1", content: "one" },
      { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "two" }] },
      { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] },
      { role: "assistant", content: "It is mended." },
    ],
    tools: [{ type: "function", function: { name: "read_file" } }],
  });

  test("tells model, stream, allowance, system prompt and tools", () => {
    expect(request).toMatchObject({ modelId: "qwen3-coder", isStreaming: true, maxOutputTokens: 8_000 });
    expect(request.systemPrompt).toBe("You are an agent.\n\nBe brief.");
    expect(request.tools).toEqual([{ type: "function", function: { name: "read_file" } }]);
  });

  test("has the results of a turn in one message right after their calls", () => {
    expect(request.messages).toEqual([
      { role: "user", content: "Mend the test." },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "c1", name: "read_file", input: { path: "a.ts" } },
          { type: "tool_use", id: "c2", name: "read_file", input: "not json" },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "one" },
          { type: "tool_result", tool_use_id: "c2", content: [{ type: "text", text: "two" }] },
        ],
      },
      {
        role: "user",
        content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }],
      },
      { role: "assistant", content: "It is mended." },
    ]);
    expect(validateView(request.messages)).toEqual([]);
  });
});

describe("who is calling", () => {
  const items = [
    { role: "user", content: "Go" },
    { role: "assistant", content: "So.", tool_calls: [functionCall("c1"), functionCall("c2")] },
    { role: "tool", tool_call_id: "c1", content: "one" },
    { role: "tool", tool_call_id: "c2", content: "two" },
  ];

  test("a message tells the ids of the calls that it makes", () => {
    expect(read({ messages: items }).callIds).toEqual([[], ["c1", "c2"], []]);
  });

  test("the key of its cache names the agent's session, an empty one does not", () => {
    expect(read({ messages: items, prompt_cache_key: "s1", user: "u" }).agentSession).toBe("s1");
    expect(read({ messages: items, prompt_cache_key: "", user: "u" }).agentSession).toBeUndefined();
    expect(read({ messages: items, user: "u" }).agentSession).toBeUndefined();
  });

  test.each<[string, boolean]>([
    ["/v1/chat/completions", true],
    ["/chat/completions/", true],
    ["/openai/deployments/gpt-5/chat/completions", true],
    ["/v1/completions", false],
    ["/v1/chat/completions/chatcmpl-1", false],
    ["/v1/batches", false],
    ["", false],
  ])("%s is a conversation's path: %s", (path, isRead) => {
    const request = openaiChatAdapter.readRequest({ path, body: JSON.stringify({ messages: items }) });
    expect(request?.operation).toBe(isRead ? "generate" : undefined);
  });
});

describe("what an item says", () => {
  const second = (item: object) => read({ messages: [{ role: "user", content: "Go" }, item] }).messages[1]?.content;

  test("reasoning comes first, with the details that servers sealed", () => {
    const details = [{ type: "reasoning.encrypted", data: "c2VhbA==" }];
    const item = { role: "assistant", content: "So.", tool_calls: [functionCall("c1")], reasoning_details: details };
    expect(second({ ...item, reasoning_content: "Hm." })).toMatchObject([
      { type: "reasoning", text: "Hm.", reasoning_details: details },
      { type: "text", text: "So." },
      { type: "tool_use", id: "c1" },
    ]);
    expect(second({ ...item, reasoning: "Hm." })).toMatchObject([{ type: "reasoning", text: "Hm." }, {}, {}]);
  });

  test("calls of other types are calls, so that their results stay with them", () => {
    const calls = [
      { id: "c1", type: "custom", custom: { name: "patch", input: "*** Begin" } },
      { id: "c2", type: "future", future: { x: 1 } },
    ];
    expect(second({ role: "assistant", content: null, tool_calls: calls })).toEqual([
      { type: "tool_use", id: "c1", name: "patch", input: "*** Begin" },
      { type: "tool_use", id: "c2", name: "future", input: calls[1] },
    ]);
  });

  test("unknown parts are carried as they are, also those that only have the name of one of ours", () => {
    const parts = [
      { type: "input_audio", input_audio: { data: "UklG", format: "wav" } },
      { type: "image", url: "https://x/y.png" },
      { type: "text", text: null },
      "bare",
    ];
    expect(second({ role: "user", content: parts })).toEqual([
      parts[0],
      { type: "part", part: parts[1] },
      { type: "part", part: parts[2] },
      { type: "part", part: "bare" },
    ]);
  });

  test("a refusal is what was said, and a name is no part of it", () => {
    expect(second({ role: "assistant", content: null, refusal: "No." })).toEqual([{ type: "text", text: "No." }]);
    expect(second({ role: "assistant", content: [{ type: "refusal", refusal: "No." }] })).toEqual([
      { type: "text", text: "No." },
    ]);
    expect(second({ role: "user", name: "ada", content: "Hi" })).toBe("Hi");
  });

  test("sound beside calls stays on the wire, and the calls are read", () => {
    const item = { role: "assistant", content: null, audio: { id: "audio_1" }, tool_calls: [functionCall("c1")] };
    expect(second(item)).toMatchObject([{ type: "tool_use", id: "c1" }]);
  });

  test("an item with nothing in it stands for itself", () => {
    const item = { role: "assistant", content: null, audio: { id: "audio_1" } };
    expect(second(item)).toEqual([{ type: "message", message: item }]);
  });
});

describe("an item in the middle", () => {
  const call = { role: "assistant", content: null, tool_calls: [functionCall("c1"), functionCall("c2")] };
  const results = ["c1", "c2"].map((id) => ({ role: "tool", tool_call_id: id, content: id }));
  const opening = { role: "user", content: "Go" };
  const shape = (...items: readonly object[]) =>
    read({ messages: items }).messages.map(({ role, content }) => [
      role,
      typeof content === "string" ? "text" : content.map(({ type }) => type).join(" "),
    ]);

  test("of the system belongs to the user's message before it, or is one", () => {
    const reminder = { role: "system", content: "Remember." };
    expect(shape(opening, reminder, call, ...results, reminder, opening)).toEqual([
      ["user", "text text"],
      ["assistant", "tool_use tool_use"],
      ["user", "tool_result tool_result text"],
      ["user", "text"],
    ]);
  });

  test("of an unknown role is a message of its own, but never between a call and its result", () => {
    const odd = { role: "critic", content: "Hm." };
    expect(shape(opening, odd, call, odd, ...results)).toEqual([
      ["user", "text"],
      ["user", "message"],
      ["assistant", "tool_use tool_use message"],
      ["user", "tool_result tool_result"],
    ]);
    expect(shape(odd, opening)).toEqual([
      ["user", "message"],
      ["user", "text"],
    ]);
  });
});

test("a conversation that the assistant begins, as after a client's own compaction, is read", () => {
  const { messages, systemPrompt } = read({
    messages: [
      { role: "system", content: "S" },
      { role: "assistant", content: "Summary" },
    ],
  });
  expect({ messages, systemPrompt }).toEqual({
    systemPrompt: "S",
    messages: [{ role: "assistant", content: "Summary" }],
  });
});

describe("is forwarded untouched", () => {
  const user = { role: "user", content: "Go" };
  test.each<[string, unknown]>([
    ["what is no JSON", "{"],
    ["what is no object", []],
    ["a request without messages", { model: "gpt-5", prompt: "Once" }],
    ["an empty conversation", { messages: [] }],
    ["the system alone", { messages: [{ role: "system", content: "S" }] }],
    ["items that are no objects", { messages: [user, "Go"] }],
    ["calls without ids", { messages: [user, { role: "assistant", tool_calls: [{ function: { name: "ls" } }] }] }],
    ["the oldest form of calls", { messages: [user, { role: "assistant", function_call: { name: "ls" } }] }],
    ["a result that names no call", { messages: [user, { role: "tool", content: "a" }] }],
    ["another API's calls", { messages: [{ role: "assistant", content: [{ type: "tool_use", id: "c" }] }] }],
    [
      "what is nested beyond all reason",
      `{"messages":[{"role":"user","content":[${"[".repeat(99_999)}${"]".repeat(99_999)}]}]}`,
    ],
  ])("%s", (_, body) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    expect(openaiChatAdapter.readRequest({ path: "/v1/chat/completions", body: text })).toBeUndefined();
  });
});

describe("the canonical text", () => {
  const canonical = (...items: readonly object[]) =>
    canonicalTexts(read({ messages: [{ role: "user", content: "Go" }, ...items] })).slice(1);
  const marked = { cache_control: { type: "ephemeral" } };
  const call = functionCall("c1");

  test.each<[string, object, object]>([
    [
      "a text and a list of it, with a mark",
      { role: "user", content: "a" },
      { content: [{ type: "text", text: "a", ...marked }], role: "user" },
    ],
    [
      "marks on an item",
      { role: "tool", tool_call_id: "c", content: "a" },
      { role: "tool", tool_call_id: "c", content: "a", copilot_cache_control: { type: "ephemeral" } },
    ],
    [
      "nothing said beside calls",
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "assistant", content: "", refusal: null, tool_calls: [{ ...call, ...marked }] },
    ],
    [
      "keys in another order",
      { role: "assistant", tool_calls: [call] },
      { tool_calls: [{ function: call.function, type: call.type, id: call.id }], role: "assistant" },
    ],
  ])("is the same for %s", (_, one, other) => {
    expect(canonical(one)).toEqual(canonical(other));
  });

  test.each<[string, object, object]>([
    ["another role", { role: "user", content: "a" }, { role: "assistant", content: "a" }],
    ["another text", { role: "user", content: "a" }, { role: "user", content: "a " }],
    [
      "another call",
      { role: "assistant", tool_calls: [call] },
      { role: "assistant", tool_calls: [{ ...call, id: "c2" }] },
    ],
    ["another name", { role: "user", content: "a" }, { role: "user", content: "a", name: "ada" }],
    ["another part", { role: "user", content: "a" }, { role: "user", content: [{ type: "text", text: "a", x: 1 }] }],
    ["reasoning", { role: "assistant", content: "a" }, { role: "assistant", content: "a", reasoning_content: "b" }],
  ])("differs for %s", (_, one, other) => {
    expect(canonical(one)).not.toEqual(canonical(other));
  });

  test("covers all items of a message", () => {
    const [text] = canonical({ role: "user", content: "a" }, { role: "system", content: "Remember." });
    expect(text).toContain("Remember.");
  });
});

test("one tool alone is told, and whether it must be called", () => {
  const messages = [{ role: "user", content: "Go" }];
  const onlyTool = (tools: unknown, choice?: unknown) => read({ messages, tools, tool_choice: choice }).onlyTool;
  const form = { type: "function", function: { name: "answer" } };
  expect(onlyTool([form])).toEqual({ name: "answer", isForced: false });
  expect(onlyTool([form], "auto")).toEqual({ name: "answer", isForced: false });
  expect(onlyTool([form], "required")).toEqual({ name: "answer", isForced: true });
  expect(onlyTool([form], form)).toEqual({ name: "answer", isForced: true });
  for (const tools of [undefined, [], [{}], [form, form]]) expect(onlyTool(tools, "required")).toBeUndefined();
});

test("how long the conversation is to stay cached is what the request asks for", () => {
  const asked = (more: object) => read({ messages: [{ role: "user", content: "Go on" }], ...more }).cacheTtlMs;
  expect(asked({ prompt_cache_retention: "24h" })).toBe(24 * 3_600_000);
  expect(asked({ prompt_cache_options: { mode: "implicit", ttl: "30m" } })).toBe(30 * 60_000);
  expect(asked({ prompt_cache_retention: "in_memory" })).toBeUndefined();
  expect(asked({})).toBeUndefined();
});
