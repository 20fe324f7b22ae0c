import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { checkMessages } from "../../core/message/check-messages.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { anthropicAdapter } from "./index.ts";

const PATH = "/v1/messages";

function read(body: unknown, path = PATH) {
  return anthropicAdapter.readRequest({ path, body: JSON.stringify(body) });
}

/** One message's canonical text. */
function canonical(...messages: readonly unknown[]) {
  return read({ messages })?.canonical(0);
}

/** As Claude Code sends it: marks, reminders, system messages among the others, thinking without text. */
const CLAUDE_CODE = {
  model: "claude-opus-5-0",
  max_tokens: 32_000,
  stream: true,
  thinking: { type: "adaptive" },
  metadata: { user_id: '{"session_id":"s1"}' },
  system: [
    { type: "text", text: "x-billing: cc=2.1.0.a41" },
    { type: "text", text: "You are an agent.", cache_control: { type: "ephemeral", ttl: "1h" } },
  ],
  tools: [{ name: "Read", input_schema: { type: "object" } }],
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "<system-reminder>dates</system-reminder>" },
        { type: "text", text: "Fix it" },
      ],
    },
    { role: "system", content: "The mode is plan.", output_config: { effort: "high" } },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "", signature: "c2ln" },
        { type: "redacted_thinking", data: "ZGF0YQ==" },
        { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "/a" }, caller: { type: "direct" } },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "A\nB", cache_control: { type: "ephemeral" } }],
    },
  ],
};

describe("a request of an agent", () => {
  test("tells model, allowance, system prompt, tools and whether it streams", () => {
    expect(read(CLAUDE_CODE)).toMatchObject({
      modelId: "claude-opus-5-0",
      maxOutputTokens: 32_000,
      isStreaming: true,
      systemPrompt: "x-billing: cc=2.1.0.a41\n\nYou are an agent.",
      tools: CLAUDE_CODE.tools,
    });
    expect(read({ messages: [{ role: "user", content: "hi" }] })).toMatchObject({
      modelId: "",
      isStreaming: false,
      maxOutputTokens: undefined,
      systemPrompt: "",
      tools: [],
    });
  });

  test("is read as messages that core accepts, thinking as reasoning with its signature", () => {
    const messages = read(CLAUDE_CODE)?.messages ?? [];
    expect(validateView(messages)).toEqual([]);
    expect(messages[1]?.content).toEqual([
      { type: "reasoning", text: "", signature: "c2ln" },
      { type: "reasoning", text: "", redactedData: "ZGF0YQ==" },
      { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "/a" }, caller: { type: "direct" } },
    ]);
  });

  test("a system message in the middle belongs to the message before it, and is counted with it", () => {
    const messages = read(CLAUDE_CODE)?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(messages[0]?.content).toHaveLength(3);
    expect(messages[0]?.content[2]).toEqual({ type: "text", text: "The mode is plan.", role: "system" });
    const plain = read({
      messages: [
        { role: "user", content: "hi" },
        { role: "system", content: "be brief" },
      ],
    });
    expect(plain?.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "hi" },
          { type: "text", text: "be brief", role: "system" },
        ],
      },
    ]);
  });

  test("a system message before all others is part of the system prompt", () => {
    const request = read({
      system: "One.",
      messages: [
        { role: "system", content: "Two." },
        { role: "user", content: "hi" },
      ],
    });
    expect(request?.systemPrompt).toBe("One.\n\nTwo.");
    expect(request?.messages).toEqual([{ role: "user", content: "hi" }]);
  });

  test("what it does not know is carried along: blocks, roles, fields, items", () => {
    const document = { type: "document", source: { type: "text", data: "d" }, title: "t" };
    const request = read({
      messages: [
        { role: "user", content: [document], output_config: { effort: "low" } },
        { role: "narrator", content: [{ type: "tool_use", id: "x", name: "y", input: {} }] },
        { type: "tool_addition", tools: [] },
        null,
        { role: "assistant", content: 7 },
      ],
    });
    expect(request?.messages).toEqual([
      {
        role: "user",
        output_config: { effort: "low" },
        content: [
          document,
          { type: "unreadable_block", role: "narrator", value: { type: "tool_use", id: "x", name: "y", input: {} } },
          { type: "unreadable_block", value: { type: "tool_addition", tools: [] } },
          { type: "unreadable_block", value: null },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: '{"role":"assistant","content":7}' }] },
    ]);
  });

  test("fields that would be tags of ours are not taken for them", () => {
    const tags = {
      id: "m",
      isSummary: true,
      condenseId: "c",
      condenseParent: "c",
      folds: [1],
      ts: "x",
      important: true,
    };
    expect(read({ messages: [{ role: "user", content: "hi", ...tags }] })?.messages).toEqual([
      { role: "user", content: "hi" },
    ]);
  });
});

describe("the path", () => {
  test.each([
    ["/v1/messages", "generate"],
    ["/v1/messages/", "generate"],
    ["/some/base/v1/messages", "generate"],
    ["/v1/messages/count_tokens", "count-tokens"],
    ["/v1/messages/count_tokens/", "count-tokens"],
  ])("%s asks to %s", (path, operation) => {
    expect(read(CLAUDE_CODE, path)).toMatchObject({ operation, messages: read(CLAUDE_CODE)?.messages });
  });

  test.each(["/v1/messages/batches", "/v1/messages/msg_1", "/v1/complete", "/v1/mymessages", ""])(
    "%s is another's",
    (path) => {
      expect(read(CLAUDE_CODE, path)).toBeUndefined();
    },
  );
});

describe("who is calling", () => {
  test("a message tells the ids of the calls that it makes", () => {
    expect(read(CLAUDE_CODE)?.callIds).toEqual([[], ["toolu_1"], []]);
    const content = ["a", "", "b"].map((id) => ({ type: "tool_use", id, name: "n", input: {} }));
    const aside = { role: "system", content: [{ type: "tool_use", id: "c", name: "n", input: {} }] };
    expect(read({ messages: [{ role: "assistant", content }, aside] })?.callIds).toEqual([["a", "b"]]);
  });

  test.each<[string, unknown, string | undefined]>([
    ["JSON", '{"device_id":"d","session_id":"s1"}', "s1"],
    ["the older form", "user_9f_account_1b_session_0d9c-11", "0d9c-11"],
    ["the older form without an account", "user_9f_account__session_0d9c-11", "0d9c-11"],
    ["a person", "user-7", undefined],
    ["a person with an unlucky name", "my_session_7", undefined],
    ["JSON without a session", '{"device_id":"d"}', undefined],
    ["JSON with an empty session", '{"session_id":""}', undefined],
    ["broken JSON", '{"session_id":', undefined],
    ["a number", 7, undefined],
    ["nothing", undefined, undefined],
  ])("%s in user_id names the session or none", (_, user_id, session) => {
    expect(read({ ...CLAUDE_CODE, metadata: { user_id } })?.agentSession).toBe(session);
  });
});

describe("what is no conversation", () => {
  test.each([
    ["no JSON", "{"],
    ["nothing", ""],
    ["a list", "[]"],
    ["no messages", '{"model":"claude-sonnet-4-5","prompt":"hi"}'],
    ["messages that are no list", '{"messages":"hi"}'],
    ["an empty list", '{"messages":[]}'],
    ["no turn of user or assistant", '{"messages":[{"role":"system","content":"hi"},3]}'],
    ["a batch", '{"requests":[{"params":{"messages":[]}}]}'],
    [
      "what goes on with a thread that the provider keeps",
      JSON.stringify({ ...CLAUDE_CODE, thread: { type: "continue", previous_message_id: "msg_1" } }),
    ],
    [
      "arguments nested beyond the stack",
      `{"messages":[{"role":"user","content":[{"type":"x","y":${"[".repeat(1e5)}${"]".repeat(1e5)}}]}]}`,
    ],
  ])("is not read: %s", (_, body) => {
    expect(anthropicAdapter.readRequest({ path: PATH, body })).toBeUndefined();
  });

  test.each([{ type: "create" }, null])("is all there where a thread is begun: %j", (thread) => {
    expect(read({ ...CLAUDE_CODE, thread })?.messages).toHaveLength(3);
  });

  test("whatever comes, reading never throws, and gives well-formed messages", () => {
    const field = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.record(
        {
          type: fc.constantFrom("text", "thinking", "redacted_thinking", "tool_use", "tool_result", "image", "new"),
          text: fc.jsonValue({ maxDepth: 0 }),
          thinking: fc.jsonValue({ maxDepth: 0 }),
          id: fc.jsonValue({ maxDepth: 0 }),
          name: fc.jsonValue({ maxDepth: 0 }),
          tool_use_id: fc.jsonValue({ maxDepth: 0 }),
          content: fc.jsonValue({ maxDepth: 2 }),
          source: fc.jsonValue({ maxDepth: 1 }),
        },
        { requiredKeys: [] },
      ),
    );
    const message = fc.record(
      { role: fc.constantFrom("user", "assistant", "system", 3), content: fc.oneof(field, fc.array(field)), id: field },
      { requiredKeys: [] },
    );
    const body = fc.record({ messages: fc.array(fc.oneof(message, field)), system: field, tools: field });
    fc.assert(
      fc.property(body, (value) => {
        const messages = read(value)?.messages;
        if (messages !== undefined) checkMessages(messages);
      }),
      propertyRuns(300),
    );
  });
});

describe("the canonical text", () => {
  test("is one per message", () => {
    const request = read(CLAUDE_CODE);
    expect(new Set([0, 1, 2].map((index) => request?.canonical(index))).size).toBe(3);
    expect(() => request?.canonical(3)).toThrow("3 messages");
  });

  test("is equal however the message is written", () => {
    const mark = { type: "ephemeral" };
    const plain = canonical({ role: "user", content: "hi" });
    expect(canonical({ content: [{ text: "hi", type: "text" }], role: "user" })).toBe(plain);
    expect(canonical({ role: "user", content: [{ type: "text", text: "hi", cache_control: mark }] })).toBe(plain);

    const result = (content: unknown, extra = {}) =>
      canonical({ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content, ...extra }] });
    expect(result([{ type: "text", text: "A", cache_control: mark }], { cache_control: mark })).toBe(result("A"));
  });

  test("differs where something else is said or called", () => {
    const call = (id: string, input: unknown) =>
      canonical({ role: "assistant", content: [{ type: "tool_use", id, name: "n", input }] });
    const texts = [
      canonical({ role: "user", content: "hi" }),
      canonical({ role: "assistant", content: "hi" }),
      canonical({
        role: "user",
        content: [
          { type: "text", text: "h" },
          { type: "text", text: "i" },
        ],
      }),
      canonical({ role: "user", content: "hi" }, { role: "system", content: "be brief" }),
      call("a", { x: 1 }),
      call("b", { x: 1 }),
      call("a", { x: 1, cache_control: { type: "ephemeral" } }),
      call("a", { x: "1" }),
      call("a", { x: ["1"] }),
      call("a", { x: [{ type: "text", text: "1" }] }),
    ];
    expect(new Set(texts).size).toBe(texts.length);
    expect(call("a", { x: 1, y: 2 })).toBe(call("a", { y: 2, x: 1 }));
  });
});

test("one tool alone is told, and whether it must be called", () => {
  const messages = [{ role: "user", content: "Go" }];
  const onlyTool = (tools: unknown, choice?: unknown) => read({ messages, tools, tool_choice: choice })?.onlyTool;
  const form = { name: "answer", input_schema: { type: "object" } };
  expect(onlyTool([form])).toEqual({ name: "answer", isForced: false });
  expect(onlyTool([form], { type: "auto" })).toEqual({ name: "answer", isForced: false });
  expect(onlyTool([form], { type: "any" })).toEqual({ name: "answer", isForced: true });
  expect(onlyTool([form], { type: "tool", name: "answer" })).toEqual({ name: "answer", isForced: true });
  for (const tools of [undefined, [], [{}], [form, form]]) expect(onlyTool(tools, { type: "any" })).toBeUndefined();
});

describe("how long the conversation is to stay cached", () => {
  const said = (cache_control?: object) => ({
    role: "user",
    content: [{ type: "text", text: "Go on", cache_control }],
  });

  test("is what the newest mark on it says, whatever system prompt and tools are marked with", () => {
    expect(read(CLAUDE_CODE)?.cacheTtlMs).toBe(5 * 60_000);
    const messages = [said({ type: "ephemeral", ttl: "5m" }), said(), said({ type: "ephemeral", ttl: "1h" }), said()];
    expect(read({ messages })?.cacheTtlMs).toBe(60 * 60_000);
  });

  test("is what the mark of the whole request says, where no message has one", () => {
    expect(read({ messages: [said()], cache_control: { type: "ephemeral", ttl: "1h" } })?.cacheTtlMs).toBe(60 * 60_000);
  });

  test("is unknown where nothing is marked, or the lifetime is none that we can read", () => {
    expect(read({ messages: [said()] })?.cacheTtlMs).toBeUndefined();
    expect(read({ messages: [{ role: "user", content: "Go on" }], cache_control: null })?.cacheTtlMs).toBeUndefined();
    expect(read({ messages: [said({ type: "ephemeral", ttl: "ever" })] })?.cacheTtlMs).toBeUndefined();
  });
});
