import OpenAI from "openai";
import type { ResponseInputItem, ResponseStreamEvent, Tool } from "openai/resources/responses/responses";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { countTextTokens } from "../../../core/tokens/o200k/count-text-tokens.ts";
import { type ModelServer, startModelServer } from "../../index.ts";

const READ: Tool = { type: "function", name: "read", parameters: { type: "object" }, strict: false };
const PATCH: Tool = { type: "custom", name: "apply_patch" };
const QUESTION = { role: "user", content: "What is in a.txt?" } as const;
const REQUEST = { model: "gpt-5", input: [QUESTION] };

let server: ModelServer;
let client: OpenAI;

beforeEach(async () => {
  server = await startModelServer({ contextWindow: 1_000 });
  client = new OpenAI({ baseURL: server.baseUrls["openai-responses"], apiKey: "key", maxRetries: 0, logLevel: "off" });
});

afterEach(() => server.close());

describe("a reply", () => {
  test("comes whole, its input's total holding the cached tokens", async () => {
    const reasoning = "Let me see.";
    server.script({
      type: "text",
      text: "It is empty.",
      reasoning,
      usage: { inputTokens: 7, outputTokens: 50, cacheReadTokens: 900, cacheWriteTokens: 40 },
    });
    const response = await client.responses.create(REQUEST);
    expect(response).toMatchObject({ object: "response", status: "completed", output_text: "It is empty." });
    expect(response.output).toMatchObject([
      { type: "reasoning", id: expect.stringMatching(/^rs_/), summary: [{ type: "summary_text", text: reasoning }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "It is empty." }] },
    ]);
    expect(response.usage).toMatchObject({
      input_tokens: 947,
      input_tokens_details: { cached_tokens: 900 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: countTextTokens(reasoning) },
      total_tokens: 997,
    });
    expect(server.requests).toMatchObject([
      { wire: "openai-responses", path: "/v1/responses", promptTokens: countTextTokens(QUESTION.content) },
    ]);
  });

  test("streams thoughts, text and calls, and adds up to the same items", async () => {
    const reply = {
      type: "tool-calls",
      text: "I read the file and change it, which may take a while.",
      reasoning: "The user wants to know what the file says.",
      calls: [
        { id: "call_1", name: "read", input: { path: "a.txt" } },
        { id: "call_2", name: "apply_patch", input: { input: "*** Begin Patch\n*** End Patch" } },
      ],
    } as const;
    server.script(reply, reply);
    const include = ["reasoning.encrypted_content" as const];
    const request = { ...REQUEST, tools: [READ, PATCH], include };
    const whole = await client.responses.create(request);
    const stream = client.responses.stream(request);
    const types = new Set<string>();
    stream.on("event", ({ type }) => types.add(type.replace("response.", "")));
    const streamed = await stream.finalResponse();
    const nameless = (items: readonly object[]) =>
      items.map((item) => ({ ...item, id: "", encrypted_content: "", parsed_arguments: null }));
    expect(whole.output).toMatchObject([
      { type: "reasoning", encrypted_content: expect.stringMatching(/.+/) },
      { type: "message" },
      { type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"a.txt"}', status: "completed" },
      { type: "custom_tool_call", call_id: "call_2", name: "apply_patch", input: "*** Begin Patch\n*** End Patch" },
    ]);
    expect(nameless(streamed.output)).toMatchObject(nameless(whole.output));
    expect(streamed.usage).toEqual(whole.usage);
    for (const type of [
      ..."created in_progress output_item.added content_part.added output_text.delta output_text.done".split(" "),
      ..."content_part.done reasoning_summary_text.delta function_call_arguments.delta".split(" "),
      ..."function_call_arguments.done custom_tool_call_input.delta output_item.done completed".split(" "),
    ]) {
      expect(types).toContain(type);
    }
  });

  test("numbers its events from 0 without a gap", async () => {
    const numbers: number[] = [];
    const stream = await client.responses.create({ ...REQUEST, stream: true });
    for await (const { sequence_number: number } of stream) numbers.push(number);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  test("seals thoughts only where the request asks for it", async () => {
    server.script({ type: "text", text: "Done.", reasoning: "Hm." });
    const { output } = await client.responses.create(REQUEST);
    expect(output[0]).not.toHaveProperty("encrypted_content");
  });

  test("calls a custom tool that an item declares, by the name of its group", async () => {
    server.script({ type: "tool-calls", calls: [{ id: "call_1", name: "exec", input: {}, rawInput: "ls -l" }] });
    const tools = [{ type: "namespace", name: "shell", description: "", tools: [{ type: "custom", name: "exec" }] }];
    const input = [{ type: "additional_tools", role: "developer", tools }, QUESTION];
    expect(await client.post("/responses", { body: { ...REQUEST, input } })).toMatchObject({
      output: [{ type: "custom_tool_call", name: "exec", input: "ls -l", namespace: "shell" }],
    });
  });

  test("goes on for many turns with everything that it said, streamed and sealed", async () => {
    const input: ResponseInputItem[] = [QUESTION];
    const turns = 24;
    for (let turn = 0; turn < turns; turn += 1) {
      const name = turn % 2 === 0 ? "read" : "apply_patch";
      const calls = [0, 1].map((index) => ({ id: `call_${turn}_${index}`, name, input: {} }));
      server.script({ type: "tool-calls", reasoning: "Next.", text: turn % 3 === 0 ? "On." : "", calls });
      const stream = client.responses.stream({
        model: "gpt-5",
        input,
        tools: [READ, PATCH],
        store: false,
        include: ["reasoning.encrypted_content"],
      });
      for (const item of (await stream.finalResponse()).output) {
        if (item.type === "function_call") {
          const { parsed_arguments: _, ...call } = item;
          input.push(call);
        } else if (item.type === "message" || item.type === "reasoning" || item.type === "custom_tool_call") {
          input.push(item);
        }
      }
      const type = name === "read" ? "function_call_output" : "custom_tool_call_output";
      for (const { id } of calls) input.push({ type, call_id: id, output: "ok" });
    }
    const { status } = await client.responses.create({ model: "gpt-5", input, tools: [READ, PATCH], store: false });
    expect(status).toBe("completed");
    expect(server.requests).toHaveLength(turns + 1);
    expect(server.requests.every(({ outcome }) => outcome === "answered")).toBe(true);
  });
});

describe("a prompt above the window", () => {
  const input = "word ".repeat(1_200);
  const message = /^(?:400 )?Your input exceeds the context window of this model\./;

  test("is refused", async () => {
    const request = client.responses.create({ ...REQUEST, input });
    await expect(request).rejects.toMatchObject({
      status: 400,
      code: "context_length_exceeded",
      param: "input",
      message: expect.stringMatching(message),
    });
  });

  test("fails its stream after the stream has begun", async () => {
    const events: ResponseStreamEvent[] = [];
    for await (const event of await client.responses.create({ ...REQUEST, input, stream: true })) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(["response.created", "response.in_progress", "response.failed"]);
    const error = { code: "context_length_exceeded", message: expect.stringMatching(message) };
    expect(events.at(-1)).toMatchObject({ response: { status: "failed", error, output: [] } });
    expect(server.requests).toMatchObject([{ outcome: "refused", refusal: expect.stringMatching(message) }]);
  });

  test("is cut by the provider where the request asks for it", async () => {
    expect((await client.responses.create({ ...REQUEST, input, truncation: "auto" })).status).toBe("completed");
  });
});

const call = (callId: string, extra: object = {}) => ({
  type: "function_call",
  call_id: callId,
  name: "read",
  arguments: "{}",
  ...extra,
});
const output = (callId: string) => ({ type: "function_call_output", call_id: callId, output: "ok" });
const custom = (callId: string) => ({ type: "custom_tool_call", call_id: callId, name: "apply_patch", input: "x" });
const customOutput = (callId: string) => ({ type: "custom_tool_call_output", call_id: callId, output: "ok" });
const thought = (id: string, extra: object = {}) => ({ type: "reasoning", id, summary: [], ...extra });
const said = (text: string, extra: object = {}) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
  ...extra,
});

describe("a request is refused", () => {
  test.each<[string, object, RegExp, object]>([
    ["without a model", { model: undefined }, /'model'/, { code: "missing_required_parameter", param: "model" }],
    ["without input", { input: undefined }, /'input'/, { code: "missing_required_parameter", param: "input" }],
    ["with no item", { input: [] }, /input is empty/, { code: "empty_array", param: "input" }],
    ["with an empty text", { input: "" }, /input is empty/, { code: "empty_string", param: "input" }],
    ["with messages", { messages: [QUESTION] }, /moved to 'input'/, { code: "unsupported_parameter" }],
    [
      "with a response that nobody kept",
      { previous_response_id: "resp_1", input: [output("a")] },
      /'resp_1' not found/,
      { code: "previous_response_not_found", param: "previous_response_id" },
    ],
    ["with another role", { input: [{ role: "tool", content: "x" }] }, /role/, { param: "input[0].role" }],
    ["with a field of ours", { input: [{ ...QUESTION, ts: 5 }] }, /input\[0\]\.ts/, { code: "unknown_parameter" }],
    ["without a type", { input: [{ text: "x" }] }, /input\[0\]\.type/, { code: "missing_required_parameter" }],
    [
      "with a user's part from the assistant",
      { input: [QUESTION, { role: "assistant", content: [{ type: "input_text", text: "x" }] }] },
      /input\[1\]\.content\[0\]\.type/,
      { code: "invalid_value" },
    ],
    ["with an output of no call", { input: [output("a")] }, /No tool call found for function call output.*a\./, {}],
    [
      "with an output of no custom call",
      { input: [customOutput("a")] },
      /No tool call found for custom tool call output/,
      { param: "input" },
    ],
    ["with an output of another kind", { input: [call("a"), customOutput("a")] }, /answers a function_call/, {}],
    [
      "with an output before its call",
      { input: [output("a"), call("a")] },
      /No tool call found for function call output/,
      {},
    ],
    [
      "with a call that nobody answered",
      { input: [QUESTION, call("a"), QUESTION] },
      /No tool output found for function call a\./,
      { param: "input" },
    ],
    [
      "with one of two calls answered",
      { input: [call("a"), custom("b"), output("a")] },
      /No tool output found for custom tool call b\./,
      {},
    ],
    [
      "with an id used twice",
      { input: [said("x", { id: "msg_1" }), said("y", { id: "msg_1" })] },
      /Duplicate item.* id msg_1\./,
      {},
    ],
    [
      "with two outputs of one call",
      { input: [call("a"), output("a"), output("a")] },
      /No tool call found for function call output/,
      {},
    ],
    [
      "with a call made twice",
      { input: [call("a"), output("a"), call("a"), output("a")] },
      /Duplicate call_id 'a'/,
      {},
    ],
    [
      "with a call under the id of another kind of item",
      { input: [call("a", { id: "item_1" }), output("a")] },
      /Invalid 'input\[0\]\.id': 'item_1'\. Expected an ID that begins with 'fc'/,
      { param: "input[0].id", code: "invalid_value" },
    ],
    ["with an id of other characters", { input: [said("x", { id: "msg_ü" })] }, /contains letters, numbers/, {}],
    [
      "with a call id that is too long",
      { input: [call("c".repeat(65)), output("c".repeat(65))] },
      /'input\[0\]\.call_id': string too long\. Expected a string with maximum length 64/,
      { code: "string_above_max_length" },
    ],
    [
      "with a call of a name that no tool has",
      { input: [call("a", { name: "a.b" }), output("a")] },
      /'input\[0\]\.name': string does not match pattern/,
      {},
    ],
    [
      "with a thought in another form",
      { input: [thought("rs_1", { summary: ["x"] }), said("y")] },
      /input\[0\]\.summary\[0\]\.type/,
      {},
    ],
    ["with half of a surrogate pair", { input: "a\ud83d" }, /no low surrogate/, {}],
    ["with thoughts at the end", { input: [QUESTION, thought("rs_1")] }, /required following item/, { param: "input" }],
    [
      "with thoughts before what the user says",
      { input: [thought("rs_1"), QUESTION] },
      /'rs_1' of type 'reasoning' was provided without its required following item/,
      {},
    ],
  ])("%s", async (_, change, message, fields) => {
    const error = await refusalOf({ ...REQUEST, ...change });
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", ...fields });
    expect(error instanceof Error && error.message).toMatch(message);
    expect(server.requests).toMatchObject([{ outcome: "refused", refusal: expect.stringMatching(message) }]);
  });

  test.each<[string, object]>([
    ["to what the provider would have to look up", { input: [QUESTION, { type: "item_reference", id: "msg_1" }] }],
    ["to thoughts that are neither stored nor sealed", { store: false, input: [thought("rs_1"), call("a")] }],
  ])("with a reference %s, as not found", async (_, change) => {
    expect(await refusalOf({ ...REQUEST, ...change })).toMatchObject({
      status: 404,
      param: "input",
      message: expect.stringContaining("not found"),
    });
  });

  test("where thoughts that this server sent are parted from their item, or sealed under another id", async () => {
    const calls = [{ id: "call_1", name: "read", input: {} }];
    server.script({ type: "tool-calls", reasoning: "Hm.", calls }, { type: "tool-calls", reasoning: "Ah.", calls });
    const ask = { ...REQUEST, tools: [READ], include: ["reasoning.encrypted_content" as const] };
    const [thinking, calling] = (await client.responses.create(ask)).output;
    const [others] = (await client.responses.create(ask)).output;
    const input = (...items: unknown[]) => ({ ...REQUEST, input: [QUESTION, ...items, output("call_1")] });
    expect(await refusalOf(input(thinking, calling))).toBeUndefined();
    expect(String(await refusalOf(input(calling)))).toMatch(/without its required 'reasoning' item: 'rs_000001'/);
    expect(String(await refusalOf(input(others, calling)))).toMatch(/without its required following item/);
    expect(await refusalOf(input({ ...thinking, id: others?.id }, call("call_1")))).toMatchObject({
      code: "invalid_encrypted_content",
    });
  });
});

describe("a request is accepted", () => {
  test.each<[string, object]>([
    ["with a text", { input: "What is in a.txt?" }],
    [
      "with calls that are the newest, and not answered yet",
      { input: [QUESTION, thought("rs_1"), call("a"), call("b")] },
    ],
    [
      "with something between a call and its output",
      { input: [call("a"), said("x"), custom("b"), output("a"), customOutput("b")] },
    ],
    ["with two outputs of a custom call", { input: [custom("a"), customOutput("a"), customOutput("a")] }],
    ["with items of an unknown type", { input: [QUESTION, { type: "mystery", payload: { x: 1 } }] }],
    [
      "with a summary that another server sealed",
      { input: [{ type: "compaction", encrypted_content: "x" }, QUESTION] },
    ],
    ["with fields that agents add", { client_metadata: { a: 1 }, prompt_cache_key: "k", tools: [] }],
    [
      "with the metadata of a message",
      { input: [{ ...QUESTION, internal_chat_message_metadata_passthrough: { turn_id: "t" } }] },
    ],
    [
      "with sealed thoughts and no store",
      { store: false, input: [thought("rs_1", { encrypted_content: "x" }), call("a")] },
    ],
    ["with arguments that are no JSON", { input: [call("a", { arguments: "{half" }), output("a")] }],
    ["with an output in parts", { input: [call("a"), { ...output("a"), output: [{ type: "input_text", text: "" }] }] }],
  ])("%s", async (_, change) => {
    expect(await refusalOf({ ...REQUEST, ...change })).toBeUndefined();
    expect(server.requests).toMatchObject([{ outcome: "answered" }]);
  });
});

test("counts tokens without using up the script, also above the window", async () => {
  server.script({ type: "text", text: "scripted" });
  const input = "word ".repeat(1_200);
  const { input_tokens: tokens } = await client.responses.inputTokens.count({ model: "gpt-5", input });
  expect(tokens).toBe(countTextTokens(input));
  expect((await client.responses.create(REQUEST)).output_text).toBe("scripted");
});

test("a stream that trails off inside a call leaves its item open", async () => {
  server.script({ type: "trail-off", text: "On.", calls: [{ id: "call_1", name: "read", input: { path: "a.txt" } }] });
  const types: string[] = [];
  let sent = "";
  for await (const event of await client.responses.create({ ...REQUEST, tools: [READ], stream: true })) {
    types.push(event.type);
    if (event.type === "response.function_call_arguments.delta") sent += event.delta;
  }
  expect(sent).toBe('{"path":');
  expect(types.at(-1)).toBe("response.function_call_arguments.delta");
  expect(types.filter((type) => type === "response.output_item.done")).toHaveLength(1);
});

/** Undefined where the request is accepted. */
async function refusalOf(body: object): Promise<unknown> {
  return client.post("/responses", { body }).then(
    () => undefined,
    (error: unknown) => error,
  );
}
