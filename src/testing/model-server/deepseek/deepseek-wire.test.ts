import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ModelServer, startModelServer } from "../../index.ts";

const QUESTION = { role: "user", content: "What is in a.txt?" } as const;
const REQUEST = { model: "deepseek-reasoner", messages: [QUESTION] };
const CALL = { id: "call_1", name: "read", input: {} };

let server: ModelServer;
let client: OpenAI;

beforeEach(async () => {
  server = await startModelServer({ contextWindow: 1_000 });
  client = new OpenAI({ baseURL: server.baseUrls.deepseek, apiKey: "key", maxRetries: 0, logLevel: "off" });
});

afterEach(() => server.close());

describe("a reply", () => {
  test("tells its reasoning beside the text, and hits and misses of the cache", async () => {
    server.script({
      type: "text",
      text: "It is empty.",
      reasoning: "Let me see.",
      usage: { inputTokens: 7, outputTokens: 50, cacheReadTokens: 900 },
    });
    const { choices, usage } = await client.chat.completions.create(REQUEST);
    expect(choices[0]?.message).toMatchObject({ content: "It is empty.", reasoning_content: "Let me see." });
    expect(usage).toMatchObject({ prompt_tokens: 907, prompt_cache_hit_tokens: 900, prompt_cache_miss_tokens: 7 });
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
  });

  test("streams the reasoning before the text", async () => {
    server.script({ type: "text", text: "It is empty.", reasoning: "Let me see what the file holds." });
    const said = { reasoning: "", text: "" };
    for await (const { choices } of await client.chat.completions.create({ ...REQUEST, stream: true })) {
      const delta: { content?: string | null; reasoning_content?: string } = choices[0]?.delta ?? {};
      if (delta.reasoning_content) expect(said.text).toBe("");
      said.reasoning += delta.reasoning_content ?? "";
      said.text += delta.content ?? "";
    }
    expect(said).toEqual({ reasoning: "Let me see what the file holds.", text: "It is empty." });
  });

  test("has reasoning with every call in thinking mode, so that it can come back", async () => {
    server.script({ type: "tool-calls", calls: [CALL] });
    const { choices } = await client.chat.completions.create(REQUEST);
    const turn = choices[0]?.message;
    const result = { role: "tool", tool_call_id: "call_1", content: "ok" };
    const next = { ...REQUEST, messages: [QUESTION, turn, result] };
    await client.post("/chat/completions", { body: next });
    expect(server.requests.map(({ outcome }) => outcome)).toEqual(["answered", "answered"]);
  });
});

const calling = (extra: object = {}) => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: "{}" } }],
  ...extra,
});
const RESULT = { role: "tool", tool_call_id: "call_1", content: "ok" };

describe("a request is refused", () => {
  const loop = [QUESTION, calling(), RESULT];
  test.each<[string, object, RegExp]>([
    ["for a model of another provider", { model: "gpt-5" }, /Model Not Exist/],
    ["with another role", { messages: [{ role: "developer", content: "x" }] }, /unknown variant `developer`/],
    ["without the reasoning of a call", { messages: loop }, /Missing `reasoning_content`.*message index 1/],
    [
      "without it where thinking was switched on",
      { model: "deepseek-chat", thinking: { type: "enabled" }, messages: loop },
      /Missing `reasoning_content`/,
    ],
    [
      "without it where an earlier turn had it",
      {
        model: "deepseek-chat",
        messages: [QUESTION, calling({ reasoning_content: "x" }), RESULT, ...loop],
      },
      /message index 4/,
    ],
    [
      "ending with the assistant",
      { messages: [QUESTION, { role: "assistant", content: "So" }] },
      /last message must be/,
    ],
    ["with an orphan result", { messages: [QUESTION, RESULT] }, /must be a response to a preceeding message/],
    [
      "with a prompt above the window",
      { messages: [{ role: "user", content: "word ".repeat(1_200) }] },
      /maximum context length is 1000 tokens/,
    ],
  ])("%s", async (_, change, message) => {
    const error = await client.post("/chat/completions", { body: { ...REQUEST, ...change } }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", code: "invalid_request_error" });
    expect(error instanceof Error && error.message).toMatch(message);
  });
});

describe("a request is accepted", () => {
  test.each<[string, object]>([
    ["with empty reasoning", { messages: [QUESTION, calling({ reasoning_content: "" }), RESULT] }],
    ["without reasoning where nothing thinks", { model: "deepseek-chat", messages: [QUESTION, calling(), RESULT] }],
    [
      "without it where thinking was switched off",
      { thinking: { type: "disabled" }, messages: [QUESTION, calling(), RESULT] },
    ],
    ["with a prefix to go on from", { messages: [QUESTION, { role: "assistant", content: "So", prefix: true }] }],
  ])("%s", async (_, change) => {
    await client.post("/chat/completions", { body: { ...REQUEST, ...change } });
    expect(server.requests).toMatchObject([{ wire: "deepseek", outcome: "answered" }]);
  });
});
