import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ModelServer, startModelServer } from "../../index.ts";

const TOOLS: OpenAI.ChatCompletionTool[] = [{ type: "function", function: { name: "read" } }];
const QUESTION = { role: "user", content: "What is in a.txt?" } as const;
const REQUEST = { model: "gpt-4.1", messages: [QUESTION] };

let server: ModelServer;
let client: OpenAI;

beforeEach(async () => {
  server = await startModelServer({ contextWindow: 1_000 });
  client = new OpenAI({ baseURL: server.baseUrls.openai, apiKey: "key", maxRetries: 0, logLevel: "off" });
});

afterEach(() => server.close());

describe("a reply", () => {
  test("comes whole, its prompt's total holding the cached tokens", async () => {
    server.script({
      type: "text",
      text: "It is empty.",
      usage: { inputTokens: 7, outputTokens: 5, cacheReadTokens: 900, cacheWriteTokens: 40 },
    });
    const { choices, usage } = await client.chat.completions.create(REQUEST);
    expect(choices).toMatchObject([{ message: { content: "It is empty." }, finish_reason: "stop" }]);
    expect(usage).toMatchObject({
      prompt_tokens: 947,
      completion_tokens: 5,
      total_tokens: 952,
      prompt_tokens_details: { cached_tokens: 900 },
    });
  });

  test("streams text and calls, and adds up to the same message", async () => {
    const reply = {
      type: "tool-calls",
      text: "I read both files, one after the other.",
      calls: [
        { id: "call_1", name: "read", input: { path: "a.txt" } },
        { id: "call_2", name: "read", input: {} },
      ],
    } as const;
    server.script(reply, reply);
    const request = { ...REQUEST, tools: TOOLS };
    const whole = await client.chat.completions.create(request);
    const stream = client.chat.completions.stream({ ...request, stream_options: { include_usage: true } });
    const streamed = await stream.finalChatCompletion();
    expect(whole.choices[0]?.finish_reason).toBe("tool_calls");
    expect(streamed.choices[0]?.message).toMatchObject({
      content: reply.text,
      tool_calls: whole.choices[0]?.message.tool_calls?.map(({ id, type }) => ({ id, type })),
    });
    expect(JSON.stringify(streamed.choices[0]?.message.tool_calls)).toContain(String.raw`{\"path\":\"a.txt\"}`);
    expect(streamed.usage).toEqual(whole.usage);
  });

  test("streams its usage only where it is asked for", async () => {
    const usages = async (options: { include_usage: boolean }) => {
      const chunks = await client.chat.completions.create({ ...REQUEST, stream: true, stream_options: options });
      const found = [];
      for await (const { usage } of chunks) if (usage) found.push(usage);
      return found.length;
    };
    expect(await usages({ include_usage: true })).toBe(1);
    expect(await usages({ include_usage: false })).toBe(0);
  });
});

const calling = (...ids: string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "read", arguments: "{}" } })),
});
const callingBy = (name: string) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call_1", type: "function", function: { name, arguments: "{}" } }],
});
const IMAGE = { type: "image_url", image_url: { url: "https://example.invalid/a.png" } };
const answering = (id: string) => ({ role: "tool", tool_call_id: id, content: "ok" });

describe("a request is refused", () => {
  test.each<[string, object, RegExp, object]>([
    ["without a model", { model: undefined }, /must provide a model/, {}],
    ["without messages", { messages: undefined }, /'messages'/, { code: "missing_required_parameter" }],
    ["with no message", { messages: [] }, /'messages': empty array/, { code: "empty_array", param: "messages" }],
    [
      "with another role",
      { messages: [{ role: "model", content: "x" }] },
      /Invalid value: 'model'/,
      { param: "messages[0].role", code: "invalid_value" },
    ],
    [
      "with a field of ours",
      { messages: [{ ...QUESTION, ts: 5 }] },
      /Unknown parameter: 'messages\[0\]\.ts'/,
      { code: "unknown_parameter" },
    ],
    [
      "with null for the user's content",
      { messages: [{ role: "user", content: null }] },
      /expected a string, got null/,
      { param: "messages.[0].content" },
    ],
    [
      "with an assistant that says nothing",
      { messages: [QUESTION, { role: "assistant", content: null }] },
      /got null/,
      {},
    ],
    ["with no part", { messages: [{ role: "user", content: [] }] }, /empty array/, { code: "empty_array" }],
    [
      "with a call that nobody answered",
      { messages: [QUESTION, calling("call_1", "call_2"), answering("call_1"), QUESTION] },
      /did not have response messages: call_2$/,
      { param: "messages.[3].role" },
    ],
    ["with a call at the end", { messages: [QUESTION, calling("call_1")] }, /response messages: call_1$/, {}],
    [
      "with an orphan result",
      { messages: [QUESTION, answering("call_1")] },
      /must be a response to a preceeding message/,
      { param: "messages.[1].role" },
    ],
    [
      "with a result for another call",
      { messages: [QUESTION, calling("call_1"), answering("call_2")] },
      /'call_2' not found/,
      {},
    ],
    [
      "with two results for one call",
      { messages: [QUESTION, calling("call_1"), answering("call_1"), answering("call_1")] },
      /Duplicate value.*'call_1'/,
      {},
    ],
    [
      "with an image from the assistant",
      { messages: [QUESTION, { role: "assistant", content: [IMAGE] }] },
      /Image URLs are only allowed for messages with role 'user', but this message with role 'assistant'/,
      {},
    ],
    [
      "with an image without an address",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: {} }] }] },
      /image_url\.url/,
      { code: "missing_required_parameter" },
    ],
    [
      "with a part of another API",
      { messages: [{ role: "user", content: [{ type: "input_text", text: "x" }] }] },
      /Invalid value: 'input_text'/,
      { param: "messages[0].content[0].type" },
    ],
    [
      "with a tool of a name that it does not take",
      { tools: [{ type: "function", function: { name: "a.b" } }] },
      /'tools\[0\]\.function\.name': string does not match pattern/,
      { code: "invalid_value" },
    ],
    [
      "with a call of a name that is too long",
      { messages: [QUESTION, callingBy("n".repeat(65)), answering("call_1")] },
      /maximum length 64, but got a string with length 65/,
      { param: "messages[1].tool_calls[0].function.name", code: "string_above_max_length" },
    ],
    ["with half of a surrogate pair", { messages: [{ role: "user", content: "a\ud83d" }] }, /no low surrogate/, {}],
    ["with an empty list of tools", { tools: [] }, /'tools': empty array/, { code: "empty_array" }],
    [
      "with stream options and no stream",
      { stream_options: { include_usage: true } },
      /only allowed when 'stream'/,
      {},
    ],
    [
      "with the old limit on a model that thinks",
      { model: "gpt-5-mini", max_tokens: 5 },
      /Use 'max_completion_tokens'/,
      { code: "unsupported_parameter" },
    ],
    [
      "with a temperature on a model that thinks",
      { model: "o4-mini", temperature: 0.3 },
      /does not support 0\.3/,
      { code: "unsupported_value" },
    ],
    [
      "with a prompt above the window",
      { messages: [{ role: "user", content: "word ".repeat(1_200) }] },
      /maximum context length is 1000 tokens\. However, your messages resulted in \d+ tokens/,
      { code: "context_length_exceeded" },
    ],
    [
      "with a prompt that leaves no room for the reply",
      { max_completion_tokens: 999 },
      /maximum context length is 1000 tokens.*999 in the completion/,
      { code: "context_length_exceeded" },
    ],
  ])("%s", async (_, change, message, fields) => {
    const error = await client.post("/chat/completions", { body: { ...REQUEST, ...change } }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", ...fields });
    expect(error instanceof Error && error.message).toMatch(message);
    expect(server.requests).toMatchObject([{ outcome: "refused", refusal: expect.stringMatching(message) }]);
  });
});

describe("a request is accepted", () => {
  test.each<[string, object]>([
    ["with every call answered", { messages: [QUESTION, calling("a", "b"), answering("b"), answering("a")] }],
    [
      "with a system prompt and an assistant only",
      {
        messages: [
          { role: "system", content: "x" },
          { role: "assistant", content: "y" },
        ],
      },
    ],
    ["with a model of a local server", { model: "llama3.1" }],
    [
      "with reasoning that came back",
      { messages: [QUESTION, { ...calling("a"), reasoning_content: "x" }, answering("a")] },
    ],
  ])("%s", async (_, change) => {
    await client.post("/chat/completions", { body: { ...REQUEST, ...change } });
    expect(server.requests).toMatchObject([{ outcome: "answered" }]);
  });
});
